import { type AccountShard, accountShards, dirtyName, usageIndexName } from '../keyspace/names.ts'
import { executeAll, tryAll } from './execute.ts'
import { isUsageName, parseUsage, type Usage } from './parse-usage.ts'
import { type RedisLink, type RedisNode, shardsByNode } from './redis-link.ts'

/** A hint for how many entries a step of a scan reads. */
const scanCount = 500
/** Hashes that one script forgets: few enough to keep admissions waiting for less than half a millisecond. */
const batchSize = 100

/** Which usage hashes are meant: those that changed since they were copied, those that are final, or all there are. */
export type UsageSelection = 'changed' | 'final' | 'all'

/**
 * Names of usage hashes, in pages of some hundreds for each shard. What changes meanwhile may be missing, and a name may
 * come twice.
 *
 * @throws RedisAwayError, or ioredis' error if no answer comes in time
 */
export function listUsage(
  link: RedisLink,
  selection: UsageSelection,
  shards: readonly AccountShard[] = accountShards
): AsyncIterable<string[]> {
  return selection === 'changed' ? scanDirty(link, shards) : readIndex(link, selection, shards)
}

async function* scanDirty(link: RedisLink, shards: readonly AccountShard[]): AsyncGenerator<string[]> {
  let cursors = shards.map((shard) => ({ shard, cursor: '0' }))
  while (cursors.length > 0) {
    const pages = (await executeAll(
      link,
      cursors,
      ({ shard }) => shard,
      (pipeline, { shard, cursor }) => pipeline.hscan(dirtyName(shard), cursor, 'COUNT', scanCount)
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

/** The hour that it is by the clock of a Redis process, whole hours since the epoch. */
export async function readHour(node: RedisNode): Promise<number> {
  node.run()
  const [seconds] = await node.client.time()
  return Math.floor(Number(seconds) / 3600)
}

/** What usage hashes were found to be. */
export type FoundUsage = {
  usages: Usage[]
  /** Names under which there is nothing any more. */
  gone: string[]
  /** Those that cannot be read, and why. */
  malformed: Array<{ name: string; reason: string }>
}

/**
 * Reads usage hashes in one round trip, each as it is at one instant.
 *
 * @throws RedisAwayError, or ioredis' error if no answer comes in time
 */
export async function readUsage(link: RedisLink, names: readonly string[]): Promise<FoundUsage> {
  const answers = await tryAll(link, names, shardOf, (pipeline, name) => pipeline.hgetallBuffer(name))
  const found: FoundUsage = { usages: [], gone: [], malformed: [] }
  for (const [index, [error, answer]] of answers.entries()) {
    const name = names[index]!
    if (error !== null && !error.message.startsWith('WRONGTYPE')) throw error
    const fields = answer as Record<string, Buffer>
    if (error === null && Object.keys(fields).length === 0 && isUsageName(name)) found.gone.push(name)
    else {
      try {
        found.usages.push(parseUsage(name, fields))
      } catch (failure) {
        found.malformed.push({ name, reason: (failure as Error).message })
      }
    }
  }
  return found
}

/**
 * Forgets that these hashes have to be copied, or, of final ones, the hashes altogether; each only if it is still what
 * was read.
 *
 * @throws RedisAwayError, or ioredis' error if no answer comes in time: some may be forgotten then, and all can be again
 */
export async function forgetUsage(
  link: RedisLink,
  { usages, gone }: Pick<FoundUsage, 'usages' | 'gone'>,
  areFinal: boolean
): Promise<void> {
  const copies = [
    ...usages.map(({ name, revision, born }) => ({ name, rev: String(revision), born })),
    ...gone.map((name) => ({ name, rev: '', born: '' }))
  ]
  const shardOfBatch = ([first]: typeof copies): AccountShard => shardOf(first!.name)
  await executeAll(link, batchesByShard(copies), shardOfBatch, (pipeline, batch) => {
    const shard = shardOfBatch(batch)
    const keys = [dirtyName(shard), usageIndexName(shard), ...batch.map(({ name }) => name)]
    const rest = batch.flatMap(({ rev, born }) => [rev, born])
    pipeline.tgForgetUsage(keys.length, ...keys, areFinal ? '1' : '', ...rest)
  })
}

/** @param name of a usage hash, as it stands in the lists of its shard */
const shardOf = (name: string): AccountShard => name.slice('usage:{'.length, 'usage:{aNN'.length) as AccountShard

function batchesByShard<Item extends { name: string }>(items: readonly Item[]): Item[][] {
  const byShard = Map.groupBy(items, ({ name }) => shardOf(name))
  return [...byShard.values()].flatMap((ofShard) =>
    Array.from({ length: Math.ceil(ofShard.length / batchSize) }, (_, number) =>
      ofShard.slice(number * batchSize, (number + 1) * batchSize)
    )
  )
}
