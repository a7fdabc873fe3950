import { messagesErrorType } from '../../http/messages-errors.ts'
import type { RefusalContext } from '../answer-format.ts'
import type { RefusalReason } from '../read-refusal.ts'

/**
 * Writes the body that explains a refusal to a client of Anthropic's API. It has the provider's message unchanged, because clients
 * recover by it, and all members of an error.
 *
 * @param context with the credential. If the refusal repeats it, the client gets a general error
 */
export function describeMessagesRefusal(
  { message, type, code, members }: RefusalReason,
  { status, requestId, secret }: RefusalContext
): { code: string; body: string } {
  const general = { type: messagesErrorType(status), message: 'The upstream provider refused the request.' }
  try {
    const error = { ...members, type: type ?? general.type, message: message ?? general.message }
    const body = JSON.stringify({ type: 'error', error, request_id: requestId })
    if (secret === null || !body.includes(JSON.stringify(secret).slice(1, -1))) {
      return { code: code ?? error.type, body }
    }
  } catch {
    // The members are nested too deeply to be written.
  }
  return { code: general.type, body: JSON.stringify({ type: 'error', error: general, request_id: requestId }) }
}
