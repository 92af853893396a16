/** The time, once a second, for those who show something that counts; nobody listening means no timer at all. */
import { useEffect, useState } from 'preact/hooks';

const listeners = new Set<(now: number) => void>();
let timer: ReturnType<typeof setInterval> | undefined;

export function useNow(active: boolean): number {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    if (!active) return;
    setNow(Date.now());
    listeners.add(setNow);
    timer ??= setInterval(() => {
      const time = Date.now();
      for (const listener of listeners) listener(time);
    }, 1_000);
    return () => {
      listeners.delete(setNow);
      if (listeners.size > 0) return;
      clearInterval(timer);
      timer = undefined;
    };
  }, [active]);
  return active ? now : Date.now();
}
