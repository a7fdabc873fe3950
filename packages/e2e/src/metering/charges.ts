import { setTimeout as delay } from 'node:timers/promises'
import { forEachCounter, type UsageCounts, zeroCounts } from '@tollgate/contracts/usage/usage-counters.ts'
import { accountName } from '@tollgate/state/keyspace/names.ts'
import type { RedisNode } from '@tollgate/state/link/redis-link.ts'
import { parseState } from '@tollgate/state/testing/account-state.ts'

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
  usage: ReadonlyMap<string, UsageCounts>
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
function addUp(usage: ReadonlyMap<string, UsageCounts>): Map<string, UsageCounts> {
  const sums = new Map<string, UsageCounts>()
  for (const [name, row] of usage) {
    const of = name.slice(name.indexOf('|') + 1)
    sums.set(of, plus(sums.get(of) ?? zeroCounts, row))
  }
  return sums
}

const plus = (one: Readonly<UsageCounts>, other: Readonly<UsageCounts>): UsageCounts =>
  forEachCounter((counter) => one[counter] + other[counter])

/** Sums the counters of one model, or of all. */
export function sumUsage({ usage }: Charges, model: string | null = null): UsageCounts {
  const of = [...usage].flatMap(([name, counters]) => (model === null || name.endsWith(`|${model}`) ? [counters] : []))
  return of.reduce(plus, { ...zeroCounts })
}

const pollMs = 20

/**
 * Waits until an account's charges satisfy a condition.
 *
 * @throws Error after 30 s without any change, with the charges at that time
 */
export async function untilCharges(
  link: RedisNode,
  account: string,
  isReached: (charges: Charges) => boolean
): Promise<Charges> {
  let deadline = 0
  let last = ''
  for (;;) {
    const charges = await readCharges(link, account)
    if (isReached(charges)) return charges
    const now = `${charges.settled} ${charges.reserved} ${charges.holds.length}`
    if (now !== last) deadline = performance.now() + 30_000
    last = now
    if (performance.now() > deadline) {
      const { settled, reserved, holds } = charges
      throw new Error(`still settled ${settled}, reserved ${reserved}, holds ${JSON.stringify(holds.slice(0, 5))}`)
    }
    await delay(pollMs)
  }
}

export const hasNoHolds = ({ holds }: Charges): boolean => holds.length === 0
