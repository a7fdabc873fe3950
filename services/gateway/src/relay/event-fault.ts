import { memberOf } from '../body/member-of.ts'
import { dataIn } from './event-data.ts'
import type { OperatorFault } from './operator-faults.ts'
import { readRefusal } from './read-refusal.ts'
import { faultOf } from './upstream-failure.ts'

/** Finds what only the operator can repair in an event of a stream that reports an error. @returns null for other errors */
export function faultInEvent(event: Buffer): OperatorFault | null {
  const parsed = dataIn(event)
  const data: unknown = Array.isArray(parsed) ? parsed[0] : parsed
  const choices = memberOf(data, 'choices')
  return faultOfError(
    memberOf(data, 'error') ??
      memberOf(memberOf(data, 'response'), 'error') ??
      memberOf(memberOf(data, 'x_groq'), 'error') ??
      (Array.isArray(choices) ? memberOf(choices[0], 'error') : null) ??
      data
  )
}

/** The same for an error alone: an object or a text. */
export function faultOfError(error: unknown): OperatorFault | null {
  if (error == null) return null
  const reason = readRefusal(Buffer.from(JSON.stringify({ error })))
  const code = memberOf(error, 'code')
  if (typeof code === 'number' && code >= 400 && code < 600) return faultOf(code, reason)
  if (reason.type === 'authentication_error') return faultOf(401, reason)
  if (reason.type === 'permission_error') return faultOf(403, reason)
  // Without a status, as if it was one about the request.
  return faultOf(400, reason) ?? faultOf(404, reason)
}
