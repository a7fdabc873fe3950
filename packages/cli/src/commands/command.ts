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
