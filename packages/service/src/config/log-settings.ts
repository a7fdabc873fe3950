import { Type } from 'typebox'

/** The variables of a service's log: spread them into its configuration. */
export const logSettings = {
  /** Least severe level that is logged. */
  LOG_LEVEL: Type.Enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace'], { default: 'info' }),
  /** `pretty` is for people. */
  LOG_FORMAT: Type.Enum(['json', 'pretty'], { default: 'json' }),
  /** Share of the successful requests that get a line. Failures always get one. */
  LOG_REQUESTS: Type.Number({ minimum: 0, maximum: 1, default: 1 })
}
