import type { Input } from './action.ts'
import type { CommandIo } from './command.ts'
import { CommandError, UsageError } from './command-error.ts'
import { exitCodes } from './exit-codes.ts'

/** The option of every action that destroys something. */
export const yesOption = { yes: { value: null, text: 'do not ask for a confirmation' } } as const

/**
 * Asks before something is destroyed, unless `--yes` is given.
 *
 * @throws CommandError if the person declines; UsageError without `--yes` and without a terminal
 */
export async function confirm(input: Input, io: CommandIo, question: string): Promise<void> {
  if (input.has('yes')) return
  if (!io.isTerminal) throw new UsageError('This needs a confirmation. Add --yes.')
  const answer = await io.ask(`${question} Type "yes": `)
  if (answer.trim().toLowerCase() !== 'yes') {
    throw new CommandError('Nothing was changed.', { exitCode: exitCodes.usage })
  }
}

/** Takes the operator's password from `TOLLGATE_PASSWORD`, or asks for it. */
export async function readPassword(io: CommandIo): Promise<string> {
  const given = io.env.TOLLGATE_PASSWORD
  if (given !== undefined && given !== '') return given
  const typed = await io.ask('Your password: ', { hidden: true })
  if (typed === '') throw new UsageError('The password is empty. Type it, or set TOLLGATE_PASSWORD.')
  return typed
}
