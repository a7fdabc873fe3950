import { forEachCounter, type UsageCounts } from '@tollgate/contracts/meters/meters.ts'
import {
  type AccountShard,
  accountName,
  accountShard,
  accountShards,
  uncopiedName,
  usageIndexName
} from '../keyspace/names.ts'
import { layouts } from '../layout/layouts.ts'
import { executeAll, tryAll } from '../link/execute.ts'
import { findFilled } from '../link/find-filled.ts'
import { type RedisLink, type RedisNode, shardsByNode } from '../link/redis-link.ts'
import { unpackParts } from '../wire/packed.ts'

/** About how many entries a step of a scan reads. */
const scanCount = 500
/** Rows per call of the script: few enough to block Redis for less than half a millisecond. */
const batchSize = 100

/** Rows that changed since they were copied, final rows, or all rows. */
export type UsageSelection = 'changed' | 'final' | 'all'

/**
 * Lists names of usage rows, in pages. Rows that change meanwhile may be missing, and a name may come twice.
 *
 * @throws RedisAwayError, or ioredis' error if no answer comes in time
 */
export function listUsage(
  link: RedisLink,
  selection: UsageSelection,
  shards: readonly AccountShard[] = accountShards
): AsyncIterable<string[]> {
  return selection === 'changed' ? scanUncopied(link, shards) : readIndex(link, selection, shards)
}

async function* scanUncopied(link: RedisLink, shards: readonly AccountShard[]): AsyncGenerator<string[]> {
  const filled = await findFilled(link, shards, uncopiedName, 'HLEN')
  let cursors = filled.map((shard) => ({ shard, cursor: '0' }))
  while (cursors.length > 0) {
    const pages = (await executeAll(
      link,
      cursors,
      ({ shard }) => shard,
      (pipeline, { shard, cursor }) => pipeline.hscan(uncopiedName(shard), cursor, 'COUNT', scanCount)
    )) as Array<[next: string, fields: string[]]>
    const names = pages.flatMap(([, fields]) => fields.filter((_field, index) => index % 2 === 0))
    if (names.length > 0) yield names
    cursors = cursors
      .map(({ shard }, index) => ({ shard, cursor: pages[index]![0] }))
      .filter(({ cursor }) => cursor !== '0')
  }
}

async function* readIndex(
  link: RedisLink,
  selection: 'final' | 'all',
  shards: readonly AccountShard[]
): AsyncGenerator<string[]> {
  for (const together of shardsByNode(link, shards)) {
    const upTo = selection === 'all' ? '+inf' : String(await readHour(link.nodeOf(together[0]!)))
    for (const shard of together) {
      const node = link.nodeOf(shard)
      node.run()
      const names = await node.client.zrangebyscore(usageIndexName(shard), '-inf', upTo)
      if (names.length > 0) yield names
    }
  }
}

/** The current hour by the clock of a Redis process, whole hours since the epoch. */
export async function readHour(node: RedisNode): Promise<number> {
  node.run()
  const [seconds] = await node.client.time()
  return Math.floor(Number(seconds) / 3600)
}

/** The result of reading rows. */
export interface FoundUsage {
  usages: Usage[]
  /** Names without a row. */
  missing: string[]
  /** Rows that are not valid, with the reason. */
  malformed: Array<{ name: string; reason: string }>
}

/**
 * Reads usage rows in one round trip to each process.
 *
 * @throws RedisAwayError, or ioredis' error if no answer comes in time
 */
export async function readUsage(link: RedisLink, names: readonly string[]): Promise<FoundUsage> {
  const result: FoundUsage = { usages: [], missing: [], malformed: [] }
  const places = names.flatMap((name): NamedPlace[] => {
    const place = placeOf(name)
    if (place === null) result.malformed.push({ name, reason: 'the name is not the name of a usage row' })
    return place === null ? [] : [{ name, ...place }]
  })
  const answers = await tryAll(link, places, shardOf, (pipeline, { account, field }) =>
    pipeline.hgetBuffer(accountName(account), field)
  )
  for (const [index, [error, answer]] of answers.entries()) {
    const { name } = places[index]!
    if (error !== null && !error.message.startsWith('WRONGTYPE')) throw error
    if (answer === null) result.missing.push(name)
    else {
      try {
        if (error !== null) throw error
        result.usages.push(parseUsage(name, answer as Buffer))
      } catch (failure) {
        result.malformed.push({ name, reason: (failure as Error).message })
      }
    }
  }
  return result
}

/**
 * Takes copied rows off the list of uncopied rows, or deletes final rows. It skips rows that changed since they were
 * read.
 *
 * @throws RedisAwayError, or ioredis' error if no answer comes in time: some may be forgotten then, and all can be
 * again
 */
export async function forgetUsage(
  link: RedisLink,
  { usages, missing }: Pick<FoundUsage, 'usages' | 'missing'>,
  areFinal: boolean
): Promise<void> {
  const copies = [
    ...usages.map(({ name, revision, born }) => ({ name, ...placeOf(name)!, revision, born })),
    ...missing.map((name) => ({ name, ...placeOf(name)!, revision: '', born: '' }))
  ]
  const shardOfBatch = ([first]: typeof copies): AccountShard => shardOf(first!)
  await executeAll(link, batchesByShard(copies), shardOfBatch, (pipeline, batch) => {
    const shard = shardOfBatch(batch)
    const keys = [uncopiedName(shard), usageIndexName(shard), ...batch.map(({ account }) => accountName(account))]
    const rest = batch.flatMap(({ name, field, revision, born }) => [name, field, revision, born])
    pipeline.tgForgetUsage(keys.length, ...keys, areFinal ? '1' : '', ...rest)
  })
}

interface NamedPlace extends UsagePlace {
  name: string
}

const shardOf = ({ account }: UsagePlace): AccountShard => accountShard(account)

function batchesByShard<Item extends UsagePlace>(items: readonly Item[]): Item[][] {
  const byShard = Map.groupBy(items, shardOf)
  return [...byShard.values()].flatMap((ofShard) =>
    Array.from({ length: Math.ceil(ofShard.length / batchSize) }, (_, number) =>
      ofShard.slice(number * batchSize, (number + 1) * batchSize)
    )
  )
}

/** Sums of the requests of one key to one model. A correction can bring an amount below zero. */
export interface UsageRow extends UsageCounts {
  key: string
  model: string
}

/** A row of usage at one time: see layout/usage.lua. */
export interface Usage extends UsageRow {
  /** Its name in the lists of its shard. */
  name: string
  account: string
  /** Hour of admission, whole hours since the epoch. */
  hour: number
  /**
   * Tells rows of one account, hour, key and model apart: tag of the run, upstream, the hour in which a late row began,
   * and the time when it began. Copies of the same row replace each other; different rows add up.
   */
  run: string
  /** The upstream that served the requests; '' if it is not known, or if no upstream was called. */
  upstream: string
  /** Every change of a row raises it. */
  revision: number
  /** When it began, µs since the epoch. */
  born: number
}

/** Where Redis keeps a row. */
interface UsagePlace {
  account: string
  field: string
}

const nameForm =
  /^([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}):([1-9][0-9]{0,6}):(\w+(?:-([\w-]+))?(?:~\d+)?)\|([^|]+)\|(.+)$/s

const bytesOfRow = 8 * Object.keys(layouts.wholeRow).length
/**
 * A row that an older version wrote ends with `isListed`, or with a later counter. A row without rare counts lacks
 * them.
 */
const minBytesOfRow = 8 * (Object.keys(layouts.row).indexOf('isListed') + 1)

/** Postgres cannot index longer names. */
const maxNameBytes = 500

/** @returns null if the name is not a usage row's */
export function placeOf(name: string): UsagePlace | null {
  const [, account] = nameForm.exec(name) ?? []
  return account === undefined ? null : { account, field: `u${name.slice(account.length)}` }
}

/** @throws Error with the reason if the row is malformed */
export function parseUsage(name: string, packed: Buffer): Usage {
  const [, account, hour, run, upstream = '', key, model] = nameForm.exec(name) ?? []
  if (account === undefined) throw new Error('the name is not the name of a usage row')
  assertStorable(key!)
  assertStorable(model!)
  const { length } = packed
  if (length < minBytesOfRow || length > bytesOfRow || length % 8 !== 0)
    throw new Error('the value is not a list of counters')
  const row = unpackParts(layouts.wholeRow, Buffer.concat([packed], bytesOfRow))
  const counts = forEachCounter((counter) => assertInteger(row[counter]))
  const [revision, born] = [assertInteger(row.revision), assertInteger(row.born)]
  return {
    name,
    account,
    hour: Number(hour),
    run: `${run}.${born}`,
    upstream,
    revision,
    born,
    key: key!,
    model: model!,
    ...counts
  }
}

function assertStorable(text: string): void {
  if (text.includes('\0') || Buffer.byteLength(text) > maxNameBytes) throw new Error('a key or model cannot be stored')
}

function assertInteger(number: number): number {
  if (!Number.isSafeInteger(number)) throw new Error('a counter is not an integer')
  return number
}
