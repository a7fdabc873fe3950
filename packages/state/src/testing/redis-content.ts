import assert from 'node:assert/strict'
import type { AccountRecord } from '@tollgate/contracts/records/records.ts'
import type { Redis } from 'ioredis'
import { findOutdated, type JudgedKey } from '../admission/find-outdated.ts'
import { allShards, monthNumber, type Shard, shardMarker, verifiedField } from '../keyspace/names.ts'
import { layouts } from '../layout/layouts.ts'
import type { RedisLink } from '../link/redis-link.ts'
import { claimShard, markVerified } from '../projection/shard-markers.ts'
import { putAccountRecord, putKeyRecord } from '../projection/write-records.ts'
import { packParts, unpackParts } from '../wire/packed.ts'
import { activeKey } from './one-account.ts'

const free: AccountRecord = { plan: 'free', status: 'active', ownCapNanos: null }

/** Stores keys of several accounts, as they were judged. */
export async function storeKeys(link: RedisLink): Promise<JudgedKey[]> {
  const stored: JudgedKey[] = []
  for (let n = 0; n < 40; n++) {
    const account = crypto.randomUUID()
    await putAccountRecord(link, account, 10, free)
    await putKeyRecord(link, account, 'key_1', 11, activeKey)
    stored.push({ account, key: 'key_1', judged: { key: '11', account: '10' } })
  }
  return stored
}

/** Asserts that only keys with another version of their key or account are found. */
export async function assertFinds(link: RedisLink): Promise<void> {
  const keys = await storeKeys(link)
  assert.deepEqual(await findOutdated(link, keys), { outdated: [], error: null })
  await putKeyRecord(link, keys[3]!.account, 'key_1', 12, { ...activeKey, status: 'revoked' })
  await putAccountRecord(link, keys[7]!.account, 12, { ...free, status: 'suspended' })
  const { outdated, error } = await findOutdated(link, keys)
  assert.deepEqual([new Set(outdated), error], [new Set([keys[3], keys[7]]), null])
}

/** Reads the marker of a shard. `version`, `month` and `run` are missing if the shard is not verified. */
export async function readMarker(client: Redis, shard: Shard): Promise<Record<string, string | number>> {
  const { [verifiedField]: verified, ...rest } = await client.hgetallBuffer(shardMarker(shard))
  const marker = Object.fromEntries(Object.entries(rest).map(([field, value]) => [field, value.toString()]))
  if (verified === undefined) return marker
  const { version, month, run } = unpackParts(layouts.marker, verified)
  return { ...marker, version, month, run }
}

/** Marks a shard as verified without a claim, and opens the current month. */
export async function setVerified(client: Redis, shard: Shard, version: number, run: string): Promise<void> {
  const packed = packParts(layouts.marker, { version, month: monthNumber(new Date()), run, lost: '' })
  await client.hset(shardMarker(shard), verifiedField, Buffer.from(packed, 'latin1'))
}

/** Marks all shards as verified without claims, and opens the current month. Not for a cluster. */
export async function verifyAll(client: Redis, version: number, run: string): Promise<void> {
  const packed = packParts(layouts.marker, { version, month: monthNumber(new Date()), run, lost: '' })
  const names = allShards.map(shardMarker)
  await client.eval(markAll, names.length, ...names, verifiedField, Buffer.from(packed, 'latin1'))
}

const markAll = "for _, name in ipairs(KEYS) do redis.call('HSET', name, ARGV[1], ARGV[2]) end"

/** Claims a shard, marks it as verified and opens the current month. @returns whether it was marked */
export async function verifyNow(link: RedisLink, shard: Shard, version: number, run: string): Promise<boolean> {
  const claim = await claimShard(link, shard, 'test')
  return markVerified(link, claim, { version, run, month: monthNumber(new Date()), lostRuns: [] })
}

/** The content of a database: strings, hashes and sorted sets (member → score) by name, as binary strings. */
export type RedisContent = Record<string, string | Record<string, string>>

/** Reads a small database, except its lists. */
export async function readContent(client: Redis): Promise<RedisContent> {
  const names = (await client.keys('*')).sort()
  const types = (await client.pipeline(names.map((name) => ['type', name])).exec()) ?? []
  const entries = names.map((name, index) => ({ name, type: types[index]![1] as string }))
  const readers: Record<string, (name: string) => string[]> = {
    string: (name) => ['getBuffer', name],
    hash: (name) => ['hgetallBuffer', name],
    zset: (name) => ['zrangeBuffer', name, '0', '-1', 'WITHSCORES']
  }
  const readable = entries.filter(({ type }) => type in readers)
  const answers = (await client.pipeline(readable.map(({ name, type }) => readers[type]!(name))).exec()) ?? []
  return Object.fromEntries(readable.map(({ name }, index) => [name, plain(answers[index]![1])]))
}

function plain(answer: unknown): string | Record<string, string> {
  if (Buffer.isBuffer(answer)) return textOf(answer)
  if (!Array.isArray(answer)) {
    const fields = Object.entries(answer as Record<string, Buffer>)
    return Object.fromEntries(fields.map(([field, value]) => [field, textOf(value)]))
  }
  return Object.fromEntries(
    answer.flatMap((member, index) => (index % 2 === 0 ? [[textOf(member), textOf(answer[index + 1])]] : []))
  )
}

const textOf = (bytes: Buffer): string => bytes.toString('latin1')
const bytesOf = (text: string): Buffer => Buffer.from(text, 'latin1')

/** Writes content into an empty database. `isSortedSet` decides by name which entries are sorted sets. */
export async function writeContent(
  client: Redis,
  content: RedisContent,
  isSortedSet: (name: string) => boolean
): Promise<void> {
  const pipeline = client.pipeline()
  for (const [name, value] of Object.entries(content)) {
    if (typeof value === 'string') pipeline.set(name, bytesOf(value))
    else if (!isSortedSet(name)) {
      pipeline.hset(name, ...Object.entries(value).flatMap(([field, text]) => [field, bytesOf(text)]))
    } else pipeline.zadd(name, ...Object.entries(value).flatMap(([member, score]) => [score, member]))
  }
  await pipeline.exec()
}
