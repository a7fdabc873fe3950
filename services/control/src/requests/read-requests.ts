import { and, eq, gte, lt, lte, type SQL, sql } from 'drizzle-orm'
import { type Orm, queryRows } from '../database/connect.ts'
import { requests } from '../database/schema/requests.ts'
import type { RequestFilter } from './request-filter.ts'
import { type RequestRecord, recordColumns } from './request-record.ts'

/** A place in the log, newest first: the next request is the first one before it. `at` is in ms since the epoch. */
export interface RequestPlace {
  readonly at: number
  readonly id: string
}

/** How many rows the steps of a page examine at most. A page takes less than about 50 ms, whatever it searches. */
const stepsOfPage = [500, 4000, 12_000]
const rowsPerStep = 12_000
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
 * Reads a page of the log, newest first. It ends early, with fewer rows than `limit`, where it has examined enough: a filter
 * that nearly nothing matches must not read millions of rows.
 */
export async function readRequests(
  orm: Orm,
  filter: RequestFilter,
  { before, limit, steps = stepsOfPage }: { before: RequestPlace | null; limit: number; steps?: readonly number[] }
): Promise<RequestsPage> {
  const rows: RequestRecord[] = []
  let place = before
  for (const examined of steps) {
    const floor = isBoundedByLimit(filter) ? null : await findFloor(orm, filter, place, examined)
    rows.push(...(await queryRows<RequestRecord>(orm, rowsBefore(filter, place, floor, limit + 1 - rows.length))))
    if (rows.length > limit) return { rows: rows.slice(0, limit), next: placeOf(rows[limit - 1]!) }
    if (floor === null) return { rows, next: null }
    place = { at: floor, id: noId }
  }
  return { rows, next: place }
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

function walkOf({ keys, code, status }: RequestFilter): Walk {
  if (keys !== null && keys.length <= maxKeysByIndex) return { keys }
  return { onlyFailed: code !== null || (status !== null && status[0] >= 400) }
}

/**
 * Finds how far back a step may search.
 *
 * @param examined how many rows it may examine
 * @returns ms since the epoch: it examines everything from then on; null if the rest of the log has fewer rows
 */
async function findFloor(
  orm: Orm,
  filter: RequestFilter,
  place: RequestPlace | null,
  examined: number
): Promise<number | null> {
  const walk = walkOf(filter)
  const nth = (condition: SQL, offset: number) => sql`
    select ${requests.at} as at from ${requests} where ${and(condition, ...timeOf(filter, place, null))}
    order by ${requests.at} desc offset ${offset} limit 1`
  const ofWalk =
    'keys' in walk
      ? sql`select max(nth.at) as at from ${named(walk.keys)},
          lateral (${nth(sql`${requests.keyId} = named.key`, Math.ceil(examined / Math.max(1, walk.keys.length)))}) as nth`
      : nth(and(eq(requests.accountId, filter.accountId), failedOf(walk.onlyFailed))!, examined)
  const [row] = await queryRows<{ at: number | null }>(
    orm,
    sql`select (extract(epoch from at) * 1000)::float8 as at from (${ofWalk}) as place`
  )
  return row?.at ?? null
}

function rowsBefore(filter: RequestFilter, place: RequestPlace | null, floor: number | null, limit: number): SQL {
  const walk = walkOf(filter)
  const conditions = [eq(requests.accountId, filter.accountId), ...timeOf(filter, place, floor), ...matching(filter)]
  const inOrder = sql`order by ${requests.at} desc, ${requests.id} desc limit ${limit}`
  if (!('keys' in walk)) {
    const condition = and(...conditions, failedOf(walk.onlyFailed))
    return sql`select ${recordColumns} from ${requests} where ${condition} ${inOrder}`
  }
  const ofKey = sql`select ${recordColumns} from ${requests} where ${and(sql`${requests.keyId} = named.key`, ...conditions)} ${inOrder}`
  return sql`select found.* from ${named(walk.keys)}, lateral (${ofKey}) as found order by found.at desc, found.id desc limit ${limit}`
}

/** The keys are one parameter. */
const named = (keys: readonly string[]): SQL =>
  sql`json_array_elements_text(${JSON.stringify(keys)}::text::json) as named (key)`

/** The same words as the condition of the index. */
const failedOf = (onlyFailed: boolean): SQL | undefined =>
  onlyFailed ? sql`(${requests.code} is not null or ${requests.status} >= 400)` : undefined

const time = (ms: number): SQL => sql`${new Date(ms).toISOString()}::timestamptz`

/** The index finds the time; the id then decides between requests of the same millisecond. */
function timeOf(filter: RequestFilter, place: RequestPlace | null, floor: number | null): Array<SQL | undefined> {
  const from = Math.max(filter.from ?? 0, floor ?? 0)
  return [
    from === 0 ? undefined : gte(requests.at, time(from)),
    filter.to === null ? undefined : lt(requests.at, time(filter.to)),
    ...(place === null
      ? []
      : [
          lte(requests.at, time(place.at)),
          sql`(${requests.at} < ${time(place.at)} or ${requests.id} < ${place.id}::uuid)`
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
  const given = <Value>(value: Value | null, condition: (value: Value) => SQL): SQL | undefined =>
    value === null ? undefined : condition(value)
  return [
    given(keys, (ids) => sql`${requests.keyId} in (select key from ${named(ids)})`),
    given(model, (name) => eq(requests.model, name)),
    given(status, ([from, to]) => and(gte(requests.status, from), lte(requests.status, to))!),
    given(code, (name) => eq(requests.code, name)),
    given(minNanos, (nanos) => gte(requests.costNanos, nanos)),
    given(maxNanos, (nanos) => lte(requests.costNanos, nanos)),
    given(minMs, (ms) => gte(requests.durationMs, ms)),
    given(maxMs, (ms) => lte(requests.durationMs, ms))
  ]
}

const placeOf = ({ at, id }: RequestRecord): RequestPlace => ({ at, id })
