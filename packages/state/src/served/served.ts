import { servedName, servedTag } from '../keyspace/names.ts'
import { tryAll } from '../link/execute.ts'
import type { RedisLink } from '../link/redis-link.ts'
import { packRow, type ServedRow, unpackRow } from './served-row.ts'

/** Rows by the catalog's name of the model. */
export type ServedRows = ReadonlyMap<string, ServedRow>

/** Maximum rows of a report: few enough to block Redis for less than half a millisecond. */
export const maxReportRows = 50
/** Longer than control reads back: the hour that is running and the 23 before. */
const keptSeconds = 26 * 3600

/** The number of the hour (UTC) that has a time. @param at ms since the epoch */
export const hourOf = (at: number): number => Math.floor(at / 3_600_000)

/** What a process measured since its last report. */
export interface ServedReport {
  readonly hour: number
  /** The reporting process, for its lifetime. */
  readonly reporter: string
  /** Higher than in all earlier reports of the process. */
  readonly sequence: number
  /** At most {@link maxReportRows}. */
  readonly rows: ServedRows
}

/**
 * Adds a report to the hour's rows. A repeated report changes nothing, so repeat it until it is acknowledged, before a
 * later one.
 *
 * @throws RedisAwayError, or ioredis' error: Redis may have added it
 */
export async function addServed(link: RedisLink, { hour, reporter, sequence, rows }: ServedReport): Promise<void> {
  const node = link.nodeOf(servedTag)
  node.run()
  const packed = Array.from(rows, ([model, row]) => [model, packRow(row)]).flat()
  await node.client.tgAddServed(servedName(hour), reporter, sequence, keptSeconds, ...packed)
}

/**
 * Reads hours in one round trip.
 *
 * @returns the rows of each hour, in the order of the hours
 * @throws RedisAwayError, or ioredis' error if no answer comes in time
 */
export async function readServed(link: RedisLink, hours: readonly number[]): Promise<ServedRows[]> {
  const results = await tryAll(
    link,
    hours,
    () => servedTag,
    (pipeline, hour) => pipeline.hgetallBuffer(servedName(hour))
  )
  return results.map(([error, fields]) => {
    if (error !== null) throw error
    return rowsOf(fields as Record<string, Buffer>)
  })
}

/** The prefix of a model's field; other fields are of reporters. */
const modelPrefix = 'm:'

function rowsOf(fields: Readonly<Record<string, Buffer>>): ServedRows {
  const rows = new Map<string, ServedRow>()
  for (const [field, bytes] of Object.entries(fields)) {
    const row = field.startsWith(modelPrefix) ? unpackRow(bytes) : null
    if (row !== null) rows.set(field.slice(modelPrefix.length), row)
  }
  return rows
}
