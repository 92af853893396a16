/** The scripted task of the crash suite: what a model asks for, step by step, looking only at the conversation it is sent. */
import type { Reply, ScenarioFunction, ScriptBlock, SeenRequest } from '../fakes/model-server/scenario.ts';

export interface Op {
  readonly tag: string;
  readonly kind: 'append' | 'write' | 'edit' | 'read';
}

/** Each row is one response. Side effects and reads, alone and mixed. */
export const STEPS: readonly (readonly Op[])[] = [
  [op('r1', 'read'), op('r2', 'read')],
  [op('a1', 'append')],
  [op('r3', 'read'), op('a2', 'append'), op('a3', 'append')],
  [op('e1', 'edit'), op('a4', 'append')],
  [op('w1', 'write'), op('r4', 'read')],
  [op('a5', 'append'), op('e2', 'edit')],
];

function op(tag: string, kind: Op['kind']): Op {
  return { tag, kind };
}

export const SIDE_EFFECTS: readonly Op[] = STEPS.flat().filter(({ kind }) => kind !== 'read');

/** The file that shows what has happened in the world: one line per side effect of a command. */
export const LEDGER = 'ledger.txt';

function blockOf({ tag, kind }: Op, root: string): ScriptBlock {
  const pace = { deltas: 3, everyMs: 1 };
  switch (kind) {
    case 'append':
      return {
        type: 'tool_use',
        name: 'Bash',
        input: { command: `sleep 0.01; echo ${tag} >> ${LEDGER}; sleep 0.01; echo did ${tag}` },
        ...pace,
      };
    case 'write':
      return {
        type: 'tool_use',
        name: 'Write',
        input: { file_path: `${root}/${tag}.txt`, content: `${tag}\n` },
        ...pace,
      };
    case 'edit':
      return {
        type: 'tool_use',
        name: 'Edit',
        input: { file_path: `${root}/notes.txt`, old_string: `todo ${tag}`, new_string: `done ${tag} done` },
        ...pace,
      };
    case 'read':
      return {
        type: 'tool_use',
        name: 'Read',
        input: { file_path: `${root}/notes.txt`, offset: 1, limit: 10 + Number(tag.slice(1)) },
        ...pace,
      };
  }
}

/** What the conversation says of each operation: tag → text of its result. */
export function answers(body: SeenRequest['body'], root: string): ReadonlyMap<string, string> {
  const blocks = (Array.isArray(body['messages']) ? body['messages'] : []).flatMap((message: unknown) => {
    const content = isRecord(message) ? message['content'] : undefined;
    return Array.isArray(content) ? content.filter(isRecord) : [];
  });
  const tagOf = new Map<string, string>();
  for (const each of STEPS.flat()) {
    const wanted = JSON.stringify(inputOf(each, root));
    for (const block of blocks)
      if (block['type'] === 'tool_use' && JSON.stringify(block['input']) === wanted)
        tagOf.set(String(block['id']), each.tag);
  }
  const found = new Map<string, string>();
  for (const block of blocks) {
    const tag = block['type'] === 'tool_result' ? tagOf.get(String(block['tool_use_id'])) : undefined;
    if (tag !== undefined) found.set(tag, textOf(block['content']));
  }
  return found;
}

function inputOf(each: Op, root: string): unknown {
  const block = blockOf(each, root);
  return block.type === 'tool_use' ? block.input : undefined;
}

export function planned(root: string): ScenarioFunction {
  return (request): Reply => {
    const answered = answers(request.body, root);
    const step = STEPS.find((ops) => ops.some(({ tag }) => !answered.has(tag)));
    if (!step) return { blocks: [{ type: 'text', text: 'Everything is done.' }] };
    const open = step.filter(({ tag }) => !answered.has(tag));
    return {
      blocks: [
        { type: 'text', text: `Working on ${open.map(({ tag }) => tag).join(', ')}.`, everyMs: 1 },
        ...open.map((each) => blockOf(each, root)),
      ],
    };
  };
}

function textOf(content: unknown): string {
  if (typeof content === 'string') return content;
  return Array.isArray(content)
    ? content
        .map((part: unknown) =>
          isRecord(part) ? (typeof part['text'] === 'string' ? part['text'] : '') : '',
        )
        .join('\n')
    : '';
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
