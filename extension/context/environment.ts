/** The facts about machine and workspace that the model is told once. Data only; whoever starts a conversation gathers them. */
export interface Environment {
  /** e.g. `linux`, `darwin`, `win32`. */
  readonly platform: string;
  /** What interprets commands, e.g. `bash`. */
  readonly shell: string;
  /** Absolute; the first is the working folder. */
  readonly roots: readonly string[];
  /** `YYYY-MM-DD`: a day, so that the prompt stays byte-stable for the life of a conversation. */
  readonly date: string;
  /** Undefined outside a repository. */
  readonly gitBranch?: string;
  readonly trusted: boolean;
}
