/** What a command talks to. */
export interface CommandIo {
  /** Standard output. */
  out(text: string): void
  /** Standard error: everything except the result. */
  err(text: string): void
  /** The environment, completed with the file `.env` of the current directory. */
  readonly env: Readonly<Record<string, string | undefined>>
  readonly cwd: string
  /** Whether a person can answer questions. */
  readonly isTerminal: boolean
  /**
   * Asks a question at the terminal. Without a terminal, reads a line from standard input.
   *
   * @param options `hidden`: what is typed is not shown
   * @throws CommandError if the input ends before a line
   */
  ask(question: string, options?: { hidden?: boolean }): Promise<string>
}

/** A command of `tollgate`. */
export interface Command {
  readonly name: string
  /** One line, for the list of commands. */
  readonly summary: string
  /** Every form of the command, with its options. */
  readonly usage: string
  /** @returns the exit code */
  run(args: readonly string[], io: CommandIo): Promise<number>
}

/** The exit codes of every command. They are a contract: scripts depend on them. */
export const exitCodes = {
  done: 0,
  failed: 1,
  usage: 2,
  notSignedIn: 3,
  unreachable: 4,
  pending: 5
} as const

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes]

/** What each exit code means, for the documentation. */
export const exitCodeTexts: Readonly<Record<ExitCode, string>> = {
  0: 'Done. For checks: no problem was found.',
  1: 'Failed, or a check found a problem. The message names it.',
  2: 'The command was used wrongly, or a confirmation is missing. Nothing was changed.',
  3: 'Not signed in, signed in more than 12 hours ago, or not an operator. Run `tollgate login`.',
  4: 'Control, or the database, cannot be reached.',
  5: 'The change is saved, but not in force at every gateway yet. It takes effect by itself.'
}

/** A command failed. The message is for the person at the terminal: what happened, and what to do next. */
export class CommandError extends Error {
  readonly exitCode: ExitCode
  /** Code of the API's error table; null for other failures. */
  readonly code: string | null

  constructor(message: string, options: { exitCode?: ExitCode; code?: string | null; cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.name = 'CommandError'
    this.exitCode = options.exitCode ?? exitCodes.failed
    this.code = options.code ?? null
  }
}

/** The command was used wrongly. */
export class UsageError extends CommandError {
  constructor(message: string, cause?: unknown) {
    super(message, { exitCode: exitCodes.usage, cause })
    this.name = 'UsageError'
  }
}
