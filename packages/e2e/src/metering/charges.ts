import { setTimeout as delay } from 'node:timers/promises'
import {
  accountShard,
  deadlinesName,
  holdName,
  limitName,
  spendName,
  usagePrefix
} from '@tollgate/contracts/keyspace/names.ts'
import { parseUsage, type Usage } from '@tollgate/contracts/redis/parse-usage.ts'
import type { RedisNode } from '@tollgate/contracts/redis/redis-link.ts'

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
  const transaction = client.multi().hgetall(spendName(account)).hgetall(holdName(account))
  for (const name of names) transaction.hgetallBuffer(name)
  const answers = (await transaction.exec()) ?? []
  const [spend = {}, held = {}, ...used] = answers.map(([error, hash]) => {
    if (error !== null) throw error
    return hash
  }) as [Record<string, string>, Record<string, string>, ...Array<Record<string, Buffer>>]
  const byKey = Object.entries(spend).flatMap(
    ([field, amount]): Array<[string, number]> => (field.startsWith('s:') ? [[field.slice(2), Number(amount)]] : [])
  )
  const holds = Object.entries(held).map(([id, text]): Hold => {
    const parts = text.split('|')
    return { id, nanos: Number(parts[3]), model: parts[9]! }
  })
  return {
    settled: Number(spend.s),
    reserved: Number(spend.r),
    byKey: new Map(byKey),
    usage: addUp(used.map((fields, index) => parseUsage(names[index]!, fields))),
    holds
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

/** Makes all holds of an account overdue, as if their time had passed. */
export async function passDeadlines({ client }: RedisNode, account: string): Promise<void> {
  for (const [id, text] of Object.entries(await client.hgetall(holdName(account)))) {
    await client.hset(holdName(account), id, text.replace(/^\d+/, '1'))
  }
  await client.hset(limitName(account), 'd', 1)
  await client.zadd(deadlinesName(accountShard(account)), 1, account)
}
