import { DrizzleQueryError } from 'drizzle-orm'

/** Codes of the socket and of the `postgres` driver, and SQLSTATEs of a server that is stopping, starting or full. */
const awayCodes = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
  'ENOENT',
  'EPIPE',
  'ETIMEDOUT',
  'CONNECT_TIMEOUT',
  'CONNECTION_CLOSED',
  'CONNECTION_DESTROYED',
  'CONNECTION_ENDED',
  '25006',
  '25P03',
  '53300',
  '55P03',
  '57014',
  '57P01',
  '57P02',
  '57P03',
  '57P05'
])

/**
 * Whether an error of a query or transaction means that the database is unavailable. It is unreachable, stopping, out
 * of connections, read-only after a failover, or exceeded the timeout of a statement or lock. False if the statement
 * was wrong.
 */
export function isDatabaseAway(error: unknown): boolean {
  const reason = error instanceof DrizzleQueryError ? error.cause : error
  if (!(reason instanceof Error)) return false
  if (reason instanceof AggregateError) return reason.errors.some(isDatabaseAway)
  const { code } = reason as { code?: unknown }
  return typeof code === 'string' && (awayCodes.has(code) || /^08...$/.test(code))
}
