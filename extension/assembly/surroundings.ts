/**
 * Gathers what the first request says of the moment. What takes time (git) is begun when the session is put together and waited for only
 * a moment: the first request is never held up for it.
 */
import { tellSurroundings } from '../context/session/surroundings';
import type { SurroundingFacts } from '../context/session/surroundings';
import type { Clock } from '../ports';

interface Parts {
  readonly clock: Clock;
  readonly git: () => Promise<SurroundingFacts['git']>;
  readonly facts: () => Promise<Omit<SurroundingFacts, 'git'>>;
}

/** What is older is looked at again. */
const FRESH_MS = 3_000;
const PATIENCE_MS = 40;

export function surroundingsOf({ clock, git, facts }: Parts): () => Promise<readonly string[]> {
  const look = () => ({ at: clock.now(), found: git() });
  let last = look();
  return async () => {
    const earlier = last;
    if (clock.now() - last.at > FRESH_MS) last = look();
    const others = await facts();
    const patience = new AbortController();
    const late = clock.sleep(PATIENCE_MS, patience.signal).then(
      () => 'late' as const,
      () => 'late' as const,
    );
    const now = await Promise.race([last.found, late]);
    // A look of before is better than none; when that has not come back either, nothing is known.
    const known = now === 'late' ? await Promise.race([earlier.found, Promise.resolve(LATE)]) : now;
    patience.abort();
    return tellSurroundings({ ...others, git: known });
  };
}

const LATE: SurroundingFacts['git'] = { type: 'unknown', why: 'it takes long here' };
