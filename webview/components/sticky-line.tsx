/** What lasts longer than a row: the countdown to another try, the list of things to do, what the workspace does not allow. */
import { useState } from 'preact/hooks';
import type { Header } from '../../extension/protocol/view-state';
import { Icon } from './icon';
import { usePanel } from './panel-context';
import { Facts } from './rows/call-row';
import { useNow } from './use-now';

export function StickyLine({ header }: { readonly header: Header }) {
  return (
    <>
      {header.workspace.state !== 'ready' && <WorkspaceLine state={header.workspace.state} />}
      {(header.todos?.length ?? 0) > 0 && <TodoLine todos={header.todos ?? []} />}
      {header.activity === 'retrying' && header.retry !== undefined && <RetryLine retry={header.retry} />}
    </>
  );
}

function RetryLine({ retry }: { readonly retry: NonNullable<Header['retry']> }) {
  const now = useNow(true);
  const { post } = usePanel();
  const seconds = Math.max(0, Math.ceil((retry.untilMs - now) / 1_000));
  return (
    <div class="sticky">
      <div class="sticky-line sticky-retry">
        <Icon name="sync" />
        <span class="sticky-text" title={retry.reason}>
          {retry.reason}
        </span>
        <Facts
          facts={[
            { text: seconds === 0 ? 'trying again' : `again in ${seconds} s` },
            { text: `${retry.attempt} of ${retry.of}`, minor: true },
          ]}
        />
        {seconds > 0 && (
          <button type="button" class="link-button" onClick={() => post({ type: 'retry_now' })}>
            Try now
          </button>
        )}
        <button type="button" class="link-button" onClick={() => post({ type: 'stop' })}>
          Cancel
        </button>
      </div>
    </div>
  );
}

function WorkspaceLine({ state }: { readonly state: 'untrusted' | 'no_folder' }) {
  const { post } = usePanel();
  const untrusted = state === 'untrusted';
  return (
    <div class="sticky">
      <div class="sticky-line">
        <Icon name={untrusted ? 'shield' : 'folder'} />
        <span class="sticky-text">
          {untrusted ? 'Restricted Mode: reading only' : 'No folder open: chat only'}
        </span>
        <button
          type="button"
          class="link-button"
          onClick={() =>
            post({ type: 'action', action: untrusted ? { type: 'trust' } : { type: 'open_folder' } })
          }
        >
          {untrusted ? 'Manage' : 'Open folder'}
        </button>
      </div>
    </div>
  );
}

const TODO_ICON = { todo: 'circle-large', doing: 'circle-large-filled', done: 'pass' } as const;
const TODO_WORD = { todo: 'to do', doing: 'in progress', done: 'done' } as const;

function TodoLine({ todos }: { readonly todos: NonNullable<Header['todos']> }) {
  const [open, setOpen] = useState(false);
  const done = todos.filter((todo) => todo.state === 'done').length;
  const current = todos.find((todo) => todo.state === 'doing') ?? todos.find((todo) => todo.state === 'todo');
  return (
    <div class="sticky">
      <button
        type="button"
        class="sticky-line sticky-button"
        aria-expanded={open}
        onClick={() => setOpen(!open)}
      >
        <Icon name="checklist" />
        <span class="sticky-text">
          {`${done} of ${todos.length}`}
          {current !== undefined && ` · ${current.text}`}
        </span>
        <Icon name={open ? 'chevron-down' : 'chevron-up'} />
      </button>
      {open && (
        <ul class="todos">
          {todos.map((todo, i) => (
            <li key={i} class={`todo todo-${todo.state}`}>
              <Icon name={TODO_ICON[todo.state]} />
              <span>{todo.text}</span>
              <span class="hidden">{`, ${TODO_WORD[todo.state]}`}</span>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
