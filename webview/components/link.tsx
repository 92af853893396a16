/** Links without an address of their own: they ask the host, which checks the target and opens it. */
import type { ComponentChildren } from 'preact';
import type { LinkTarget } from '../markdown/links';
import { visibleText } from '../visible-text';
import { usePanel } from './panel-context';
import type { Panel } from './panel-context';

interface ControlLinkProps {
  readonly target: LinkTarget;
  readonly children: ComponentChildren;
}

/** Not a button, because its text must wrap like text; not an address, because VS Code would open that by itself. */
export function ControlLink({ target, children }: ControlLinkProps) {
  const { post } = usePanel();
  const go = (event: Event): void => {
    event.stopPropagation();
    event.preventDefault();
    follow(target, post);
  };
  return (
    <a
      class="link"
      role="link"
      data-ctl
      tabIndex={-1}
      title={titleOf(target)}
      onClick={go}
      onKeyDown={(event) => {
        if (event.key === 'Enter') go(event);
      }}
    >
      {children}
    </a>
  );
}

function titleOf(target: LinkTarget): string {
  switch (target.type) {
    case 'web':
    case 'mail':
      return visibleText(target.url);
    case 'file':
      return visibleText(target.line === undefined ? target.path : `${target.path}:${target.line}`);
    case 'none':
      return '';
  }
}

function follow(target: LinkTarget, post: Panel['post']): void {
  switch (target.type) {
    case 'web':
    case 'mail':
      post({ type: 'open_link', url: target.url });
      break;
    case 'file':
      post({
        type: 'open_file',
        path: target.path,
        ...(target.line === undefined ? {} : { line: target.line }),
      });
      break;
    case 'none':
      break;
  }
}

/** Text in which nothing can hide: control, bidirectional and zero-width characters are shown as marks. */
export function Visible({
  parts,
}: {
  readonly parts: readonly { readonly text: string; readonly hidden?: string }[];
}) {
  return (
    <>
      {parts.map((part, i) =>
        part.hidden === undefined ? (
          part.text
        ) : (
          <mark key={i} class="hidden-char" title={part.hidden}>
            {part.text}
          </mark>
        ),
      )}
    </>
  );
}

/** A path that gives up its folders before its name when there is no room. */
export function PathLink({
  path,
  label,
  line,
}: {
  readonly path: string;
  readonly label: string;
  readonly line?: number;
}) {
  const cut = Math.max(label.lastIndexOf('/'), label.lastIndexOf('\\')) + 1;
  const target: LinkTarget = line === undefined ? { type: 'file', path } : { type: 'file', path, line };
  return (
    <ControlLink target={target}>
      <span class="path">
        {cut > 0 && (
          <span class="path-folder">
            <bdi dir="ltr">{visibleText(label.slice(0, cut))}</bdi>
          </span>
        )}
        <span class="path-name">{visibleText(label.slice(cut))}</span>
      </span>
    </ControlLink>
  );
}
