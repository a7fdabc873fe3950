import { messagesErrorType } from '../../http/messages-errors.ts'
import type { RefusalContext } from '../answer-format.ts'
import { concealedJson } from '../conceal.ts'
import type { RefusalReason } from '../read-refusal.ts'

/**
 * Writes the body that explains a refusal to a client of Anthropic's API. It has the provider's message unchanged, because clients
 * recover by it, and all members of an error.
 *
 * @param context with what it must not have. If it cannot be written without, the client gets a general error
 */
export function describeMessagesRefusal(
  { message, type, code, members }: RefusalReason,
  { status, requestId, ...hidden }: RefusalContext
): { code: string; body: string } {
  const general = { type: messagesErrorType(status), message: 'The upstream provider refused the request.' }
  const error = { ...members, type: type ?? general.type, message: message ?? general.message }
  const body = concealedJson({ type: 'error', error, request_id: requestId }, hidden)
  if (body !== null) return { code: code ?? error.type, body }
  return { code: general.type, body: JSON.stringify({ type: 'error', error: general, request_id: requestId }) }
}
