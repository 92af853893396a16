/** A part that scrolls by itself. It is a Tab stop exactly while there is something to scroll, so that the keyboard reaches what the mouse does. */
import { useLayoutEffect, useRef } from 'preact/hooks';
import type { ComponentChildren, RefObject } from 'preact';

interface ScrollProps {
  readonly class: string;
  readonly label: string;
  /** `pre` keeps white space as it is. */
  readonly as?: 'pre' | 'div';
  readonly box?: RefObject<HTMLElement | null>;
  readonly children: ComponentChildren;
}

/** One observer for all; the inner box tells when the content grows, the outer one when the panel does. */
const observer = new ResizeObserver((entries) => {
  for (const { target } of entries) {
    const box = target.closest<HTMLElement>('[data-scroll]');
    if (box === null) continue;
    const scrolls = box.scrollWidth > box.clientWidth || box.scrollHeight > box.clientHeight;
    if (scrolls) box.tabIndex = 0;
    else box.removeAttribute('tabindex');
  }
});

export function Scroll({ class: className, label, as: Tag = 'pre', box, children }: ScrollProps) {
  const own = useRef<HTMLElement>(null);
  useLayoutEffect(() => {
    const outer = own.current;
    const inner = outer?.firstElementChild ?? null;
    if (box !== undefined) box.current = outer;
    if (outer === null || inner === null) return;
    observer.observe(outer);
    observer.observe(inner);
    return () => {
      observer.unobserve(outer);
      observer.unobserve(inner);
    };
  }, [box]);
  return (
    <Tag
      ref={(element: HTMLElement | null) => {
        own.current = element;
      }}
      class={`scroll ${className}`}
      data-scroll
      role="group"
      aria-label={label}
      dir={Tag === 'pre' ? 'ltr' : undefined}
    >
      <div class="scroll-in">{children}</div>
    </Tag>
  );
}
