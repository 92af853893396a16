/** Fetches what was left out of a row once somebody looks at it. */
import { useEffect } from 'preact/hooks';
import { usePanel } from './panel-context';

export function useBody({ id, more }: { readonly id: string; readonly more?: number }, open: boolean): void {
  const { post } = usePanel();
  const wanted = open && more !== undefined;
  useEffect(() => {
    if (wanted) post({ type: 'body', id });
  }, [wanted, id, post]);
}
