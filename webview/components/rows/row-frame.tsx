/** What every row has: its place in the roving focus, its name for assistive technology, and a boundary that keeps a faulty row to itself. */
import { Component } from 'preact';
import type { ComponentChildren } from 'preact';
import type { Panel } from '../panel-context';

interface FrameProps {
  readonly item: string;
  readonly class: string;
  readonly label: string;
  readonly children: ComponentChildren;
}

/** `data-row` marks a stop of the roving focus (a11y/roving.ts). */
export function RowFrame({ item, class: className, label, children }: FrameProps) {
  return (
    <div class={`row ${className}`} data-row={item} tabIndex={-1} role="group" aria-label={label}>
      {children}
    </div>
  );
}

interface BoundaryProps {
  readonly post: Panel['post'];
  readonly children: ComponentChildren;
}

export class RowBoundary extends Component<BoundaryProps, { readonly failed: boolean }> {
  override state = { failed: false };

  override componentDidCatch(error: unknown): void {
    this.setState({ failed: true });
    const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
    this.props.post({
      type: 'log',
      level: 'error',
      text: `A row could not be shown: ${text.slice(0, 2_000)}`,
    });
  }

  override render(): ComponentChildren {
    if (!this.state.failed) return this.props.children;
    return (
      <div
        class="row plain"
        data-row="failed"
        tabIndex={-1}
        role="group"
        aria-label="A row that could not be shown"
      >
        This part could not be shown. The conversation is not affected; details are in the log.
      </div>
    );
  }
}
