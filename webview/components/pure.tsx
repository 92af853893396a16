/** Renders again only when one of its properties is another value. */
import { Component } from 'preact';
import type { ComponentChildren } from 'preact';

type PureProps<P> = P & {
  readonly render: (props: P) => ComponentChildren;
  readonly ignore?: keyof P & string;
};

export class Pure<P extends object> extends Component<PureProps<P>> {
  override shouldComponentUpdate(next: PureProps<P>): boolean {
    const before = this.props as Readonly<Record<string, unknown>>;
    const after = next as Readonly<Record<string, unknown>>;
    for (const name of new Set([...Object.keys(before), ...Object.keys(after)]))
      if (before[name] !== after[name]) return true;
    return false;
  }

  override render(): ComponentChildren {
    return this.props.render(this.props);
  }
}
