import type { Sql } from 'postgres'

/** A statement that was run, and how PostgreSQL ran it. */
export interface ExecutedPlan {
  /** Process id of the connection's server process. */
  backend: number
  statement: string
  /** Its plan, a line each, with the number of rows that each step really brought. */
  lines: string[]
}

/** Settings of a server whose statements {@link recordPlans} can explain. */
export const explainableSettings = { logging_collector: 'on', log_destination: 'stderr' }

/**
 * Has the server explain the statements of every connection that is opened from now on, once asked to.
 *
 * @throws if the server does not have `auto_explain`, which is among PostgreSQL's contributed modules
 */
export async function prepareToExplain(sql: Sql): Promise<void> {
  await sql`load 'auto_explain'`
  await sql`alter system set session_preload_libraries = 'auto_explain'`
  await sql`alter system set auto_explain.log_analyze = on`
  await sql`alter system set auto_explain.log_timing = off`
  await sql`alter system set auto_explain.log_min_duration = -1`
  await sql`select pg_reload_conf()`
}

/** What the other connections' statements were while something was done, with their plans. */
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
  // Connections that are idle take new settings before their next statement; our own shows when that has been signalled.
  for (;;) {
    const [{ now }] = await sql<[{ now: string }]>`select current_setting('auto_explain.log_min_duration') as now`
    if (now === String(milliseconds)) return
  }
}

const readLog = async (sql: Sql): Promise<string> =>
  (await sql<[{ log: string }]>`select pg_read_file(pg_current_logfile()) as log`)[0].log

/** Reads what `auto_explain` writes: an entry begins with a time, and goes on in lines that are indented. */
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

/** Tables that a plan reads from one end to the other. */
export const tablesScanned = ({ lines }: ExecutedPlan): string[] =>
  lines.flatMap((line) => /\bSeq Scan on (\w+)/.exec(line)?.[1] ?? [])
