import { memberOf } from '../../body/member-of.ts'
import { concealedJson, type Hidden } from '../conceal.ts'
import { dataIn } from '../event-data.ts'

/** Replaces what the error of a failed response must not have. @param event `response.failed` @returns the same if it has nothing of it */
export function concealFailedResponse(event: Buffer, hidden: Hidden): Buffer {
  const data = dataIn(event)
  if (!concealFailure(memberOf(data, 'response'), hidden)) return event
  return Buffer.from(`event: response.failed\ndata: ${JSON.stringify(data)}\n\n`)
}

/** The same for a parsed response. @returns whether it was changed */
export function concealFailure(response: unknown, hidden: Hidden): boolean {
  const error = memberOf(response, 'error')
  if (error == null) return false
  const json = concealedJson(error, hidden)
  if (json === JSON.stringify(error)) return false
  Object.assign(response as object, { error: json === null ? generalError : JSON.parse(json) })
  return true
}

const generalError = { code: 'server_error', message: 'The upstream provider failed.' }
