import { setTimeout as delay } from 'node:timers/promises'
import { accountShard, booksName, deadlinesName, usagePrefix } from '@tollgate/contracts/keyspace/names.ts'
import { parseUsage, type Usage } from '@tollgate/contracts/redis/parse-usage.ts'
import type { RedisNode } from '@tollgate/contracts/redis/redis-link.ts'
import { parseBooks } from '@tollgate/contracts/testing/books.ts'

/** Counters of usage of all hours. Amounts are nanodollars. */
export type Counters = {
  requests: number
  failed: number
  promptTokens: number
  cachedTokens: number
  completionTokens: number
  nanos: number
  estimated: number
  estimatedNanos: number
}

export const nothing: Readonly<Counters> = {
  requests: 0,
  failed: 0,
  promptTokens: 0,
  cachedTokens: 0,
  completionTokens: 0,
  nanos: 0,
  estimated: 0,
  estimatedNanos: 0
}

/** An open reservation. */
export type Hold = { id: string; nanos: number; model: string }

/** What Redis has charged an account, and what it holds. Amounts are nanodollars. */
export type Charges = {
  settled: number
  reserved: number
  /** Settled by each key. */
  byKey: ReadonlyMap<string, number>
  /** Counters of each key and model, as `<key>|<model>`. */
  usage: ReadonlyMap<string, Counters>
  holds: Hold[]
}

/** Reads what belongs together in one transaction. */
export async function readCharges({ client }: RedisNode, account: string): Promise<Charges> {
  const names = await client.keys(`${usagePrefix(account)}*`)
  const transaction = client.multi().hgetallBuffer(booksName(account))
  for (const name of names) transaction.hgetallBuffer(name)
  const answers = (await transaction.exec()) ?? []
  const [fields = {}, ...used] = answers.map(([error, hash]) => {
    if (error !== null) throw error
    return hash as Record<string, Buffer>
  })
  const books = parseBooks(fields)
  return {
    settled: books.account?.settled ?? Number.NaN,
    reserved: books.account?.reserved ?? Number.NaN,
    byKey: new Map([...books.keys].map(([key, { settled }]) => [key, settled])),
    usage: addUp(used.map((counters, index) => parseUsage(names[index]!, counters))),
    holds: [...books.holds].map(([id, { nanos, model }]) => ({ id, nanos, model }))
  }
}

function addUp(usages: readonly Usage[]): Map<string, Counters> {
  const sums = new Map<string, Counters>()
  for (const { key, model, errors, costNanos, estimatedRequests, ...row } of usages.flatMap(({ rows }) => rows)) {
    const of = `${key}|${model}`
    const counters = { ...row, failed: errors, nanos: costNanos, estimated: estimatedRequests }
    sums.set(of, plus(sums.get(of) ?? nothing, counters))
  }
  return sums
}

function plus(one: Readonly<Counters>, other: Readonly<Counters>): Counters {
  const sum = { ...one }
  for (const member of Object.keys(nothing) as Array<keyof Counters>) sum[member] += other[member]
  return sum
}

/** The sum of counters, of those of a model if one is named. */
export function sumUsage({ usage }: Charges, model: string | null = null): Counters {
  const of = [...usage].flatMap(([name, counters]) => (model === null || name.endsWith(`|${model}`) ? [counters] : []))
  return of.reduce(plus, { ...nothing })
}

const lookEveryMs = 20

/**
 * Resolves with the charges of an account once they are as they should be.
 *
 * @throws Error with what they are if they are not after 30 s
 */
export async function untilCharges(
  link: RedisNode,
  account: string,
  isReached: (charges: Charges) => boolean
): Promise<Charges> {
  const deadline = performance.now() + 30_000
  for (;;) {
    const charges = await readCharges(link, account)
    if (isReached(charges)) return charges
    if (performance.now() > deadline) {
      const { settled, reserved, holds } = charges
      throw new Error(`still settled ${settled}, reserved ${reserved}, holds ${JSON.stringify(holds.slice(0, 5))}`)
    }
    await delay(lookEveryMs)
  }
}

export const hasNoHolds = ({ holds }: Charges): boolean => holds.length === 0

/** What is overdue since the first millisecond: the first number of a hold, and the last of the account. */
const passAll = `
  local books, one = redis.call('HGETALL', KEYS[1]), struct.pack('<d', 1)
  for n = 1, #books, 2 do
    local field, value = books[n], books[n + 1]
    if field == 'a' then
      redis.call('HSET', KEYS[1], field, string.sub(value, 1, -9) .. one)
    elseif string.sub(field, 1, 2) == 'h:' then
      redis.call('HSET', KEYS[1], field, one .. string.sub(value, 9))
    end
  end`

/** Makes all holds of an account overdue, as if their time had passed. */
export async function passDeadlines({ client }: RedisNode, account: string): Promise<void> {
  await client.eval(passAll, 1, booksName(account))
  await client.zadd(deadlinesName(accountShard(account)), 1, account)
}
