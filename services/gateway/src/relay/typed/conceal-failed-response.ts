import { memberOf } from '../../body/member-of.ts'
import { concealedJson, type Hidden } from '../conceal.ts'
import { dataIn } from '../event-data.ts'

/** Replaces what the error of a failed response must not have. @param event `response.failed` @returns the same if it has nothing of it */
export function concealFailedResponse(event: Buffer, hidden: Hidden): Buffer {
  const data = dataIn(event)
  const response = memberOf(data, 'response')
  const error = memberOf(response, 'error')
  if (error == null) return event
  const json = concealedJson(error, hidden)
  if (json === JSON.stringify(error)) return event
  Object.assign(response as object, { error: json === null ? generalError : JSON.parse(json) })
  return Buffer.from(`event: response.failed\ndata: ${JSON.stringify(data)}\n\n`)
}

const generalError = { code: 'server_error', message: 'The upstream provider failed.' }
