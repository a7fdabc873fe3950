import { type ExitCode, exitCodes } from './exit-codes.ts'

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
