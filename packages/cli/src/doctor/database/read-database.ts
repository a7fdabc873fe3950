import { openDatabase } from '@tollgate/control/database/connect.ts'
import { type DatabaseFacts, inspectDatabase } from '@tollgate/control/database/inspect-database.ts'
import { type Failure, failureOf } from '../network/failure.ts'
import { withTimeout } from '../network/with-timeout.ts'

export type DatabaseOutcome =
  | { readonly kind: 'facts'; readonly facts: DatabaseFacts; readonly skewMs: number }
  /** SQLSTATE: the server refused. */
  | { readonly kind: 'refused'; readonly sqlState: string; readonly message: string }
  | { readonly kind: 'failure'; readonly failure: Failure }

/** Connects to a PostgreSQL server and reads what the check needs. Never rejects. */
export async function readDatabase(url: string, timeoutMs: number): Promise<DatabaseOutcome> {
  let close = async () => {}
  try {
    const database = await openDatabase(url, { poolSize: 1, connectTimeoutMs: timeoutMs })
    close = () => database.close()
    const before = Date.now()
    const facts = await withTimeout(inspectDatabase(database), timeoutMs)
    return { kind: 'facts', facts, skewMs: facts.timeMs - (before + Date.now()) / 2 }
  } catch (error) {
    return outcomeOf(error)
  } finally {
    void close().catch(() => {})
  }
}

/** The driver's error is inside drizzle's, whose message has the statement. */
function outcomeOf(error: unknown): DatabaseOutcome {
  const reason = error instanceof Error && error.name === 'DrizzleQueryError' ? error.cause : error
  const { code, message } = (reason ?? {}) as { code?: unknown; message?: string }
  if (typeof code === 'string' && /^[0-9A-Z]{5}$/.test(code) && !/^E[A-Z]{4}$/.test(code)) {
    return { kind: 'refused', sqlState: code, message: message ?? '' }
  }
  return { kind: 'failure', failure: failureOf(reason) }
}
