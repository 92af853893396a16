/**
 * Blocks of one response in the order of their first appearance, for wires that interleave them: text and reasoning are streamed at once,
 * a block is handed on when it and all before it are finished.
 */
import type { AssistantBlock, UnparsedInput } from '../message';
import type { ModelEvent } from '../transport';
import { readInput } from './call-input';

export interface CallDraft {
  readonly key: number;
  wireId: string;
  name: string;
  args: string;
  announced: boolean;
}

interface Entry {
  readonly key: number;
  block: AssistantBlock | undefined;
  ready: { readonly certain: boolean; readonly unparsed?: UnparsedInput } | undefined;
  finished: boolean;
}

/** One per response. A class, because it is nothing but state that changes with every piece. */
export class ResponseState {
  private readonly entries: Entry[] = [];
  private flushed = 0;
  private open: { readonly kind: 'text' | 'thinking'; readonly entry: Entry; text: string } | undefined;
  /** How many calls were begun, and whether any text or reasoning came. */
  calls = 0;
  said = false;

  constructor(
    private readonly emit: (event: ModelEvent) => void,
    private readonly newId: () => string,
  ) {}

  /** Text or reasoning; goes on with the open block of its kind, or begins a new one. */
  say(kind: 'text' | 'thinking', text: string): void {
    if (text === '') return;
    this.said = true;
    if (this.open?.kind !== kind) {
      this.endSaying();
      this.open = { kind, entry: this.enter(), text: '' };
    }
    this.open.text += text;
    this.emit({ type: kind, key: this.open.entry.key, text });
  }

  /** Ends the open text or reasoning block. */
  endSaying(): void {
    if (this.open === undefined) return;
    const { kind, entry, text } = this.open;
    entry.block = kind === 'text' ? { type: 'text', text } : { type: 'thinking', thinking: text };
    entry.finished = true;
    this.open = undefined;
    this.flush();
  }

  begin(name: string, wireId: string): CallDraft {
    this.endSaying();
    this.calls += 1;
    const call: CallDraft = { key: this.enter().key, wireId, name, args: '', announced: false };
    this.announce(call);
    return call;
  }

  /** Some servers repeat the name with every piece: the first counts. */
  name(call: CallDraft, name: string): void {
    if (call.name !== '' || name === '') return;
    call.name = name;
    this.announce(call);
  }

  args(call: CallDraft, piece: string): void {
    if (piece === '') return;
    call.args += piece;
    if (call.announced) this.emit({ type: 'call_delta', key: call.key, json: piece });
  }

  /** The call is whole. `certain` = it may run before the response ends. */
  endCall(call: CallDraft, certain: boolean): void {
    const entry = this.entries[call.key];
    if (entry === undefined || entry.finished) return;
    const { input, unparsed } = readInput(call.args);
    if (!call.announced) this.emit({ type: 'call_started', key: call.key, name: call.name });
    call.announced = true;
    entry.block = {
      type: 'tool_use',
      id: this.newId(),
      ...(call.wireId === '' ? {} : { wireId: call.wireId }),
      name: call.name,
      input,
      ...(unparsed === undefined ? {} : { unparsed }),
    };
    entry.ready = unparsed === undefined ? { certain } : { certain: false, unparsed };
    entry.finished = true;
    this.flush();
  }

  /** A finished block that was not streamed. */
  add(block: AssistantBlock): void {
    this.endSaying();
    const entry = this.enter();
    entry.block = block;
    entry.finished = true;
    this.flush();
  }

  private enter(): Entry {
    const entry: Entry = { key: this.entries.length, block: undefined, ready: undefined, finished: false };
    this.entries.push(entry);
    return entry;
  }

  private announce(call: CallDraft): void {
    if (call.announced || call.name === '') return;
    call.announced = true;
    this.emit({ type: 'call_started', key: call.key, name: call.name });
    if (call.args !== '') this.emit({ type: 'call_delta', key: call.key, json: call.args });
  }

  private flush(): void {
    for (
      let entry = this.entries[this.flushed];
      entry?.finished === true;
      entry = this.entries[this.flushed]
    ) {
      this.flushed += 1;
      if (entry.block !== undefined) this.emit({ type: 'block', key: entry.key, block: entry.block });
      if (entry.ready !== undefined) this.emit({ type: 'call_ready', key: entry.key, ...entry.ready });
    }
  }
}
