import type { Sql } from 'postgres'

/** An executed statement with its plan. */
export interface ExecutedPlan {
  /** The pid of the connection's server process. */
  backend: number
  statement: string
  /** The lines of its plan, with the actual number of rows of each step. */
  lines: string[]
}

/** The server settings that {@link recordPlans} needs. */
export const explainableSettings = { logging_collector: 'on', log_destination: 'stderr' }

/**
 * Loads `auto_explain` into every connection opened from now on. It is silent until {@link recordPlans} enables it.
 *
 * @throws if the server lacks `auto_explain`, one of PostgreSQL's contrib modules
 */
export async function prepareToExplain(sql: Sql): Promise<void> {
  await sql`load 'auto_explain'`
  await sql`alter system set session_preload_libraries = 'auto_explain'`
  await sql`alter system set auto_explain.log_analyze = on`
  await sql`alter system set auto_explain.log_buffers = on`
  await sql`alter system set auto_explain.log_timing = off`
  await sql`alter system set auto_explain.log_min_duration = -1`
  await sql`select pg_reload_conf()`
}

/** Records the statements of the other connections during an action, with their plans. */
export async function recordPlans(sql: Sql, run: () => Promise<void>): Promise<ExecutedPlan[]> {
  const seen = (await readLog(sql)).length
  await explainAbove(sql, 0)
  await run()
  await explainAbove(sql, -1)
  const [{ own }] = await sql<[{ own: number }]>`select pg_backend_pid() as own`
  return parsePlans((await readLog(sql)).slice(seen)).filter(({ backend }) => backend !== own)
}

/** @param milliseconds -1: no statement is explained */
async function explainAbove(sql: Sql, milliseconds: number): Promise<void> {
  await sql`alter system set auto_explain.log_min_duration = ${sql.unsafe(String(milliseconds))}`
  await sql`select pg_reload_conf()`
  // Idle connections read new settings before their next statement. Our own connection shows when the signal has arrived.
  for (;;) {
    const [{ now }] = await sql<[{ now: string }]>`select current_setting('auto_explain.log_min_duration') as now`
    if (now === String(milliseconds)) return
  }
}

const readLog = async (sql: Sql): Promise<string> =>
  (await sql<[{ log: string }]>`select pg_read_file(pg_current_logfile()) as log`)[0].log

/** Parses the log of `auto_explain`: an entry starts with a time and continues in indented lines. */
export function parsePlans(log: string): ExecutedPlan[] {
  return log.split(/^(?=\S)/m).flatMap((entry) => {
    const head = /\[(\d+)\] LOG: {2}duration: [\d.]+ ms {2}plan:\n/.exec(entry)
    if (head === null) return []
    const lines = entry
      .split('\n')
      .slice(1)
      .map((line) => line.replace(/^\t/, ''))
      .filter((line) => line.trim() !== '')
    const first = lines.findIndex((line) => /\(cost=/.test(line))
    if (first < 1) return []
    const statement = lines
      .slice(0, first)
      .join(' ')
      .replace(/^Query Text: /, '')
      .replace(/\s+/g, ' ')
      .trim()
    return [{ backend: Number(head[1]), statement, lines: lines.slice(first) }]
  })
}

/** The tables that a plan reads in full. */
export const tablesScanned = ({ lines }: ExecutedPlan): string[] =>
  lines.flatMap((line) => /\bSeq Scan on (\w+)/.exec(line)?.[1] ?? [])
