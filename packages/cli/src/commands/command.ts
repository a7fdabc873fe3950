/** What a command talks to. */
export interface CommandIo {
  out(text: string): void
  err(text: string): void
  env: Readonly<Record<string, string | undefined>>
  cwd: string
  isTerminal: boolean
  ask(question: string, options?: { hidden?: boolean }): Promise<string>
}
export interface Command {
  name: string
  summary: string
  usage: string
  run(args: readonly string[], io: CommandIo): Promise<number>
}
