import type { CommandIo } from '../commands/command.ts'
import { readPassword } from '../commands/confirm.ts'
import { failureOf } from './failure.ts'
import { send } from './send.ts'
import type { StoredSession } from './session-file.ts'

/** Asks for the code of a second factor. */
export const readCode = async (io: Pick<CommandIo, 'ask'>): Promise<string> =>
  (await io.ask('Code of your authenticator app: ')).replaceAll(/\s/g, '')

/**
 * Confirms to control that the operator of a session is here: by the password, and by the code of a second factor if there is
 * one. It counts for 10 minutes.
 *
 * @throws CommandError if control refuses
 */
export async function reauthenticate(io: CommandIo, { url, cookie }: StoredSession): Promise<void> {
  const password = await readPassword(io)
  let code: string | undefined
  for (;;) {
    const body = { password, ...(code !== undefined && { code }) }
    const answer = await send(url, 'POST', '/api/auth/reauthenticate', { cookie, body })
    if (answer.ok) return
    const failure = failureOf(url, answer.status, answer.text)
    if (failure.code !== 'second_factor_required' || code !== undefined) throw failure
    code = await readCode(io)
  }
}
