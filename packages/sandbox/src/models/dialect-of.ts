import type { IncomingHttpHeaders } from 'node:http'
import { chatDialect, type Dialect } from './dialect.ts'
import { messagesDialect } from './messages/dialect.ts'
import { responsesDialect } from './responses/dialect.ts'

/** The dialect of a request. Two APIs have the path of the models, where only one has a version header. */
export function dialectOf(path: string, headers: IncomingHttpHeaders): Dialect {
  if (/^\/v1\/responses(\/|$)/.test(path)) return responsesDialect
  const isModels = /^\/v1\/models(\/|$)/.test(path) && headers['anthropic-version'] !== undefined
  return isModels || /^\/v1\/messages(\/|$)/.test(path) ? messagesDialect : chatDialect
}
