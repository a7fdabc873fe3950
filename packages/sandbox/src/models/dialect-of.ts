import { chatDialect, type Dialect } from './dialect.ts'
import { responsesDialect } from './responses/dialect.ts'

/** The dialect of a request, by its path. */
export function dialectOf(path: string): Dialect {
  return /^\/v1\/responses(\/|$)/.test(path) ? responsesDialect : chatDialect
}
