import { describe, expect, it } from 'vitest';
import { chooseModel, type ModelChoice } from '../../../extension/models/choose-model';

const at = (id: string, transport: string, baseUrl: string, model: string) => ({
  id,
  origin: { transport, baseUrl, model },
});
const CLAUDE = at('anthropic', 'anthropic', 'https://api.anthropic.com', 'claude-sonnet-4-6');
const OTHER_CLAUDE = at('fast', 'anthropic', 'https://api.anthropic.com', 'claude-haiku-4-5');
const LOCAL = at('local', 'ollama', 'http://127.0.0.1:11434', 'qwen3');
const BIG = at('big', 'ollama', 'http://127.0.0.1:11434', 'qwen3:32b');
const ROUTES = [CLAUDE, OTHER_CLAUDE, LOCAL, BIG];
const route = (id: string): ModelChoice => ({ type: 'route', id });

describe('a model that a file names', () => {
  it.each<[string, typeof CLAUDE, boolean, ModelChoice | undefined]>([
    ['fast', CLAUDE, false, route('fast')],
    ['haiku', CLAUDE, false, route('fast')],
    ['claude-haiku-4-5', CLAUDE, false, route('fast')],
    ['Opus', CLAUDE, false, { type: 'model', model: 'claude-opus-5' }],
    ['claude-opus-4-6', CLAUDE, false, { type: 'model', model: 'claude-opus-4-6' }],
    ['gpt-5.5', CLAUDE, true, undefined],
    ['big', LOCAL, false, route('big')],
    ['qwen3:32b', LOCAL, false, route('big')],
    ['mistral', LOCAL, false, undefined],
    // from one server to another only by a file of the person's own
    ['haiku', LOCAL, false, undefined],
    ['haiku', LOCAL, true, route('fast')],
    ['local', CLAUDE, false, undefined],
    ['local', CLAUDE, true, route('local')],
  ])('%s on %o, own file: %s', (wanted, current, owned, expected) => {
    expect(chooseModel(wanted, current, ROUTES, owned)).toEqual(expected);
  });
});
