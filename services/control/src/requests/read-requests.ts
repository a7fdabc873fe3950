import { and, eq, gte, lt, lte, type SQL, sql } from 'drizzle-orm'
import { type Orm, queryRows } from '../database/connect.ts'
import { requests } from '../database/schema/requests.ts'
import { type RequestRecord, recordColumns } from './logged-request.ts'
import { dayMs, startOfDay } from './request-days.ts'
import type { RequestFilter } from './request-filter.ts'

/** A place in the log, newest first: the next request is the first one before it. `at` is in ms since the epoch. */
export interface RequestPlace {
  readonly at: number
  readonly id: string
}

/**
 * How many rows a page examines at most: a few first, and more if too few of them match. A page takes less than about
 * 50 ms, whatever it searches.
 */
const stepsOfPage = [500, 3000, 8000]
const rowsPerStep = 12_000
/**
 * So many days are searched first, and then more before them. The planner looks at each day of a query, which takes
 * longer than to read it.
 */
const firstDays = 1
const daysGrow = 3
/** Then all the rest. */
const maxDays = 9
/** With more keys, all requests of the account are examined. */
const maxKeysByIndex = 50
/** Before all ids. */
const noId = '00000000-0000-0000-0000-000000000000'

export interface RequestsPage {
  readonly rows: RequestRecord[]
  /** Null on the last page. */
  readonly next: RequestPlace | null
}

/**
 * Reads a page of the log, newest first. It ends early, with fewer rows than `limit`, where it has examined enough: a
 * filter that nearly nothing matches must not read millions of rows.
 */
export async function readRequests(
  orm: Orm,
  filter: RequestFilter,
  { before, limit, steps = stepsOfPage }: { before: RequestPlace | null; limit: number; steps?: readonly number[] }
): Promise<RequestsPage> {
  const rows: RequestRecord[] = []
  if (filter.keys?.length === 0) return { rows, next: null }
  let place = before
  let step = 0
  for (let days = firstDays; ; ) {
    const isRest = days > maxDays
    const start = startOfDay(place?.at ?? filter.to ?? Date.now()) - (days - 1) * dayMs
    const from = isRest ? filter.from : Math.max(filter.from ?? 0, start)
    const within = { before: place, from }
    const floor = isBoundedByLimit(filter) ? null : await findFloor(orm, filter, within, steps[step]!)
    const some = { before: place, from: floor ?? from }
    rows.push(...(await queryRows<RequestRecord>(orm, rowsWithin(filter, some, limit + 1 - rows.length))))
    if (rows.length > limit) return { rows: rows.slice(0, limit), next: placeOf(rows[limit - 1]!) }
    if (floor === null) {
      if (from === filter.from) return { rows, next: null }
      days *= daysGrow
    } else if (++step === steps.length) return { rows, next: { at: floor, id: noId } }
    place = { at: (floor ?? from)!, id: noId }
  }
}

/** Reads all requests that match, newest first, in pages of some thousand rows at most. */
export async function* readAllRequests(
  orm: Orm,
  filter: RequestFilter,
  pageSize: number
): AsyncGenerator<RequestRecord[]> {
  let before: RequestPlace | null = null
  do {
    const page: RequestsPage = await readRequests(orm, filter, { before, limit: pageSize, steps: [rowsPerStep] })
    yield page.rows
    before = page.next
  } while (before !== null)
}

/** Whether every examined row matches, so that the limit ends the search. */
const isBoundedByLimit = ({ accountId: _account, from: _from, to: _to, ...rest }: RequestFilter): boolean =>
  Object.values(rest).every((condition) => condition === null)

/** A part of the log with its own index: the requests of an account or of keys, or the failed ones of an account. */
type Walk = { readonly keys: readonly string[] } | { readonly onlyFailed: boolean }

/** A part of the log: from a time on, and before a place. Null: no bound. */
interface Within {
  readonly before: RequestPlace | null
  readonly from: number | null
}

function walkOf({ keys, code, status }: RequestFilter): Walk {
  if (keys !== null && keys.length <= maxKeysByIndex) return { keys }
  return { onlyFailed: code !== null || (status !== null && status[0] >= 400) }
}

/**
 * Finds how far back a step may search.
 *
 * @param examined how many rows it may examine
 * @returns ms since the epoch: it examines everything from then on; null if this part of the log has fewer rows
 */
async function findFloor(orm: Orm, filter: RequestFilter, within: Within, examined: number): Promise<number | null> {
  const walk = walkOf(filter)
  const nth = (condition: SQL | undefined, offset: number) => sql`
    select ${requests.at} as at from ${requests} where ${and(condition, ...timeOf(filter, within, false))}
    order by ${requests.at} desc offset ${sql.raw(String(offset))} limit 1`
  const ofWalk =
    'keys' in walk
      ? ofKeys(walk.keys, (isKey) => nth(isKey, Math.ceil(examined / walk.keys.length)))
      : nth(and(eq(requests.accountId, filter.accountId), failedOf(walk.onlyFailed)), examined)
  const [row] = await queryRows<{ at: number | null }>(
    orm,
    sql`select (extract(epoch from max(at)) * 1000)::float8 as at from (${ofWalk}) as place`
  )
  return row?.at ?? null
}

function rowsWithin(filter: RequestFilter, within: Within, limit: number): SQL {
  const walk = walkOf(filter)
  const isExact = true
  const conditions = [
    eq(requests.accountId, filter.accountId),
    ...timeOf(filter, within, isExact),
    ...matching('keys' in walk ? { ...filter, keys: null } : filter)
  ]
  // A number in the text: the planner would not know a parameter.
  const limited = sql`limit ${sql.raw(String(limit))}`
  const rows = (walked: SQL | undefined) => sql`
    select ${recordColumns} from ${requests} where ${and(walked, ...conditions)}
    order by ${requests.at} desc, ${requests.id} desc ${limited}`
  if (!('keys' in walk)) return rows(failedOf(walk.onlyFailed))
  return sql`select * from (${ofKeys(walk.keys, rows)}) as found order by at desc, id desc ${limited}`
}

/** Runs a query for each of some keys. */
function ofKeys(keys: readonly string[], query: (isKey: SQL) => SQL): SQL {
  if (keys.length === 1) return query(sql`${requests.keyId} = ${keys[0]}`)
  return sql`select ofkey.* from ${named(keys)}, lateral (${query(sql`${requests.keyId} = named.key`)}) as ofkey`
}

/** The keys are one parameter. */
const named = (keys: readonly string[]): SQL =>
  sql`unnest(${`{${keys.map((key) => JSON.stringify(key)).join()}}`}::text[]) as named (key)`

/** The same words as the condition of the index. */
const failedOf = (onlyFailed: boolean): SQL | undefined =>
  onlyFailed ? sql`(${requests.code} is not null or ${requests.status} >= 400)` : undefined

const time = (ms: number): SQL => sql`${new Date(ms).toISOString()}::timestamptz`

/** The index finds the time; the id then decides between requests of the same time. */
function timeOf({ to }: RequestFilter, { before, from }: Within, isExact: boolean): Array<SQL | undefined> {
  return [
    from === null ? undefined : gte(requests.at, time(from)),
    to === null ? undefined : lt(requests.at, time(to)),
    ...(before === null
      ? []
      : before.id === noId
        ? [lt(requests.at, time(before.at))]
        : [
            lte(requests.at, time(before.at)),
            isExact ? sql`(${requests.at} < ${time(before.at)} or ${requests.id} < ${before.id}::uuid)` : undefined
          ])
  ]
}

function matching({
  keys,
  model,
  status,
  code,
  minNanos,
  maxNanos,
  minMs,
  maxMs
}: RequestFilter): Array<SQL | undefined> {
  const when = <Value>(value: Value | null, condition: (value: Value) => SQL): SQL | undefined =>
    value === null ? undefined : condition(value)
  return [
    when(keys, (ids) => sql`${requests.keyId} in (select key from ${named(ids)})`),
    when(model, (name) => eq(requests.model, name)),
    when(status, ([from, to]) => and(gte(requests.status, from), lte(requests.status, to))!),
    when(code, (name) => eq(requests.code, name)),
    when(minNanos, (nanos) => gte(requests.costNanos, nanos)),
    when(maxNanos, (nanos) => lte(requests.costNanos, nanos)),
    when(minMs, (ms) => gte(requests.durationMs, ms)),
    when(maxMs, (ms) => lte(requests.durationMs, ms))
  ]
}

const placeOf = ({ at, id }: RequestRecord): RequestPlace => ({ at, id })
