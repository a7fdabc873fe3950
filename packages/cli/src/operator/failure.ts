import { ErrorResponse } from '@tollgate/contracts/http/error.ts'
import { Value } from 'typebox/value'
import { CommandError } from '../commands/command-error.ts'
import { type ExitCode, exitCodes } from '../commands/exit-codes.ts'

const exitCodeOf: Readonly<Record<string, ExitCode>> = {
  not_authenticated: exitCodes.notSignedIn,
  sign_in_again: exitCodes.notSignedIn,
  change_pending: exitCodes.pending
}

/** What to type next, where the API's message cannot know that it is read in a terminal. */
const hints: Readonly<Record<string, string>> = {
  not_authenticated: 'Run: tollgate login',
  sign_in_again: 'Run: tollgate login',
  wrong_password: 'If TOLLGATE_PASSWORD is set, correct it.'
}

/** @returns the error of a failed answer, as the command's error */
export function failureOf(url: string, status: number, text: string): CommandError {
  const body = parse(text)
  if (!Value.Check(ErrorResponse, body)) {
    return new CommandError(
      `${url} answered ${status}, but not as control does. Check the address: tollgate login --url URL`,
      { exitCode: exitCodes.unreachable }
    )
  }
  const { message, code } = body.error
  const hint = hints[code]
  return new CommandError(hint === undefined ? message : `${message} ${hint}`, {
    code,
    exitCode: exitCodeOf[code] ?? exitCodes.failed
  })
}

/** @returns the JSON of a text; undefined for other texts */
export function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
