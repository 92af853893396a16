/** What goes on after its call returned: one registry per conversation, for background commands and subagents alike. */

export type TaskEnd =
  { readonly status: 'completed' | 'failed' | 'stopped'; readonly exitCode?: number } | undefined;

export interface BackgroundTask {
  readonly id: string;
  readonly type: 'command' | 'agent';
  /** The command, or the task of the agent. */
  readonly title: string;
  /** What it has said so far, head and tail when long. */
  output(): string;
  /** Undefined while it runs. */
  end(): TaskEnd;
  readonly done: Promise<TaskEnd>;
  stop(): Promise<void>;
  /** File that holds the whole output when it is longer than `output()`. */
  outputFile?(): string | undefined;
}

export interface BackgroundTasks {
  add(task: BackgroundTask): void;
  get(id: string): BackgroundTask | undefined;
  all(): readonly BackgroundTask[];
  /** Titles of what still runs, for the outcome of a turn. */
  running(): readonly string[];
  /** Output of a task that no earlier call of this has returned. */
  unread(task: BackgroundTask): string;
  stopAll(): Promise<void>;
}

export function backgroundTasks(): BackgroundTasks {
  const tasks = new Map<string, BackgroundTask>();
  const shown = new Map<string, string>();
  return {
    add: (task) => void tasks.set(task.id, task),
    get: (id) => tasks.get(id),
    all: () => [...tasks.values()],
    running: () => [...tasks.values()].filter((task) => !task.end()).map((task) => task.title),
    unread(task) {
      const now = task.output();
      const before = shown.get(task.id) ?? '';
      shown.set(task.id, now);
      // Once the middle has been dropped, where the last look ended cannot be told; then all is shown again.
      return now.startsWith(before) ? now.slice(before.length) : now;
    },
    async stopAll() {
      await Promise.all([...tasks.values()].filter((task) => !task.end()).map((task) => task.stop()));
    },
  };
}
