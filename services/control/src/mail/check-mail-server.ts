import { describeMailFailure, type MailFailure } from './mail-failure.ts'
import { openTransport } from './open-transport.ts'
import type { SmtpSettings } from './smtp-settings.ts'

/**
 * Connects to the mail server and signs in, as control does for a mail, but sends none.
 *
 * @param timeoutMs for the connection, and for each answer
 * @returns why control could not send mails; null if it can
 */
export async function checkMailServer(smtp: SmtpSettings, timeoutMs: number): Promise<MailFailure | null> {
  const transport = openTransport(smtp, { connect: timeoutMs, answer: timeoutMs }, 1)
  try {
    await transport.verify()
    return null
  } catch (error) {
    return describeMailFailure(error)
  } finally {
    transport.close({ force: true })
  }
}
