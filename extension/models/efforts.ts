/** Which efforts a model may be asked for on its wire. Nothing is guessed: where no rule says so, none. */
import { EFFORTS, type Effort } from '../protocol/vocabulary';
import { familyOf } from './anthropic/families';
import { dialect, dialectName } from './openai/dialects';
import type { DialectName } from './openai/dialects';

export interface EffortQuestion {
  readonly transport: 'anthropic' | 'openai-chat' | 'openai-responses' | 'ollama';
  readonly model: string;
  readonly baseUrl: string;
  readonly dialect?: DialectName;
}

export function effortsOf(question: EffortQuestion): readonly Effort[] {
  return takes(question) ? EFFORTS : [];
}

function takes({ transport, model, baseUrl, dialect: named }: EffortQuestion): boolean {
  switch (transport) {
    case 'anthropic':
      return familyOf(model).thinking !== 'none';
    case 'openai-chat':
      return dialect(named ?? dialectName(baseUrl), model).effort;
    case 'openai-responses':
      return dialect('openai', model).effort;
    case 'ollama':
      return /gpt-oss/.test(model);
  }
}
