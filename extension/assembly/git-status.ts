/**
 * How the repository stands, for the first request. Git is started only as the gate would start it without a question: where neither its
 * configuration nor a rule stands against it; and nobody waits for a large repository.
 */
import { dirname, join } from 'node:path';
import type { SurroundingFacts } from '../context/session/surroundings';
import type { PermissionGate } from '../permissions/gate';
import type { Files, Shell } from '../ports';
import type { Workspace } from '../tools/tool';

interface Looking {
  readonly files: Pick<Files, 'stat'>;
  readonly shell: Shell;
  readonly gate: Pick<PermissionGate, 'quietGit'>;
  readonly spillFolder: string;
}

const COMMAND = 'git --no-optional-locks status --porcelain=v1 --branch --ignore-submodules=all';
/** An index of about twenty thousand files. */
const LARGE_INDEX = 2 * 1024 * 1024;
const LONGEST_MS = 2_000;

/** Never rejects. */
export async function gitStatus(looking: Looking, workspace: Workspace): Promise<SurroundingFacts['git']> {
  try {
    return await look(looking, workspace);
  } catch {
    return { type: 'unknown', why: 'it could not be read' };
  }
}

async function look(
  { files, shell, gate, spillFolder }: Looking,
  { cwd, trusted }: Workspace,
): Promise<SurroundingFacts['git']> {
  const dotGit = await repositoryOf(files, cwd);
  if (dotGit === undefined) return undefined;
  if (!trusted) return { type: 'unknown', why: 'the workspace is not trusted' };
  const index = await files.stat(join(dotGit, 'index'));
  if (index !== undefined && index.size > LARGE_INDEX) return { type: 'unknown', why: 'a large repository' };
  const quiet = await gate.quietGit(cwd, ['git', 'status']);
  if (quiet.type === 'no') return { type: 'unknown', why: quiet.why };
  const command = {
    command: COMMAND,
    cwd,
    timeoutMs: LONGEST_MS,
    spillPath: join(spillFolder, 'git-status.txt'),
    environment: quiet.environment,
  };
  const { exitCode, stdout } = await shell.run(command, () => undefined, new AbortController().signal);
  return exitCode === 0 ? { type: 'status', text: stdout } : { type: 'unknown', why: 'git gave no answer' };
}

async function repositoryOf(files: Pick<Files, 'stat'>, folder: string): Promise<string | undefined> {
  for (let at = folder; ; at = dirname(at)) {
    const dotGit = join(at, '.git');
    if ((await files.stat(dotGit).catch(() => undefined)) !== undefined) return dotGit;
    if (dirname(at) === at) return undefined;
  }
}
