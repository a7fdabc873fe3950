import { accountName, accountShard } from '../keyspace/names.ts'
import { layouts } from '../layout/layouts.ts'
import { executeAll } from '../link/execute.ts'
import type { RedisLink } from '../link/redis-link.ts'
import { unpackParts } from '../wire/packed.ts'

/** A rate and its burst. */
export interface RateTerms {
  readonly perMinute: number
  readonly burst: number
}

/** What is left of a rate. */
export interface RateRest {
  /** How much may come at once now. */
  readonly left: number
  /** Milliseconds until the whole burst is available again. */
  readonly restMs: number
}

/** The state of an account's rates, without a change. */
export interface RatesLeft {
  readonly requests: RateRest
  readonly tokens: RateRest
  /** Requests in flight, and those whose hold is overdue but not reaped yet. */
  readonly open: number
}

const minuteMicros = 60_000_000

/**
 * What is left of a rate, as admit.lua judges it: see rates.lua.
 *
 * @param arrival of the rate, µs since the epoch
 * @param now by the clock of Redis, µs since the epoch
 */
export function rateLeft(arrival: number, { perMinute, burst }: RateTerms, now: number): RateRest {
  const perUnit = minuteMicros / perMinute
  const ahead = Math.max(0, arrival - now)
  // A little for rounding, as the limiter gives.
  const spare = Math.min(1000, perUnit / 2)
  const left = Math.floor((burst * perUnit + spare - ahead) / perUnit)
  return { left: Math.max(0, Math.min(burst, left)), restMs: Math.ceil(ahead / 1000) }
}

/**
 * Reads what is left of an account's rates, in one round trip. It changes nothing.
 *
 * @returns null if Redis has no state of the account
 * @throws RedisAwayError, or ioredis' error if no answer comes in time
 */
export async function readRates(
  link: RedisLink,
  account: string,
  terms: { readonly requests: RateTerms; readonly tokens: RateTerms }
): Promise<RatesLeft | null> {
  const [packed, time] = await executeAll(
    link,
    ['state', 'time'] as const,
    () => accountShard(account),
    (pipeline, what) => (what === 'time' ? pipeline.time() : pipeline.hgetBuffer(accountName(account), 'a'))
  )
  if (packed === null) return null
  const { arrival, tokenArrival, open } = unpackParts(layouts.account, packed as Buffer)
  const [seconds, micros] = (time as Array<string | number>).map(Number) as [number, number]
  const now = seconds * 1e6 + micros
  return {
    requests: rateLeft(arrival, terms.requests, now),
    tokens: rateLeft(tokenArrival, terms.tokens, now),
    open
  }
}
