import { setTimeout as delay } from 'node:timers/promises'
import { accountName, accountShard, deadlinesName } from '@tollgate/state/keyspace/names.ts'
import type { RedisNode } from '@tollgate/state/link/redis-link.ts'
import { parseState, type UsageEntry } from '@tollgate/state/testing/account-state.ts'

/** Usage counters summed over all hours. Amounts are nanodollars. */
export interface Counters {
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

/** An open hold. */
export interface Hold {
  id: string
  nanos: number
  model: string
}

/** An account's settled charges and open holds in Redis. Amounts are nanodollars. */
export interface Charges {
  settled: number
  reserved: number
  /** Settled amount of each key. */
  byKey: ReadonlyMap<string, number>
  /** Counters by `<key>|<model>`. */
  usage: ReadonlyMap<string, Counters>
  holds: Hold[]
}

export async function readCharges({ client }: RedisNode, account: string): Promise<Charges> {
  const state = parseState(await client.hgetallBuffer(accountName(account)))
  return {
    settled: state.account?.settled ?? Number.NaN,
    reserved: state.account?.reserved ?? Number.NaN,
    byKey: new Map([...state.keys].map(([key, { settled }]) => [key, settled])),
    usage: addUp(state.usage),
    holds: [...state.holds].map(([id, { nanos, model }]) => ({ id, nanos, model }))
  }
}

/** @param usage by `<hour>:<run>|<key>|<model>` */
function addUp(usage: ReadonlyMap<string, UsageEntry>): Map<string, Counters> {
  const sums = new Map<string, Counters>()
  for (const [name, { prompt, cached, completion, ...row }] of usage) {
    const of = name.slice(name.indexOf('|') + 1)
    const counters = { ...row, promptTokens: prompt, cachedTokens: cached, completionTokens: completion }
    sums.set(of, plus(sums.get(of) ?? nothing, counters))
  }
  return sums
}

function plus(one: Readonly<Counters>, other: Readonly<Counters>): Counters {
  const sum = { ...one }
  for (const member of Object.keys(nothing) as Array<keyof Counters>) sum[member] += other[member]
  return sum
}

/** Sums the counters of one model, or of all. */
export function sumUsage({ usage }: Charges, model: string | null = null): Counters {
  const of = [...usage].flatMap(([name, counters]) => (model === null || name.endsWith(`|${model}`) ? [counters] : []))
  return of.reduce(plus, { ...nothing })
}

const pollMs = 20

/**
 * Waits until an account's charges satisfy a condition.
 *
 * @throws Error after 30 s, with the charges at that time
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
    await delay(pollMs)
  }
}

export const hasNoHolds = ({ holds }: Charges): boolean => holds.length === 0

/** Sets every deadline to 1 ms after the epoch. It is the first number of a hold, and the second to last of the account. */
const passAll = `
  local fields, one = redis.call('HGETALL', KEYS[1]), struct.pack('<d', 1)
  for n = 1, #fields, 2 do
    local field, value = fields[n], fields[n + 1]
    if field == 'a' then
      redis.call('HSET', KEYS[1], field, string.sub(value, 1, -17) .. one .. string.sub(value, -8))
    elseif string.sub(field, 1, 2) == 'h:' then
      redis.call('HSET', KEYS[1], field, one .. string.sub(value, 9))
    end
  end`

/** Makes all holds of an account overdue. */
export async function passDeadlines({ client }: RedisNode, account: string): Promise<void> {
  await client.eval(passAll, 1, accountName(account))
  await client.zadd(deadlinesName(accountShard(account)), 1, account)
}
