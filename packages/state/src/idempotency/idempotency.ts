import { type AccountShard, claimName } from '../keyspace/names.ts'
import { callForShard } from '../link/call-script.ts'
import type { RedisLink } from '../link/redis-link.ts'
import { bulk } from '../wire/packed.ts'

/** A request that its client may repeat. */
export interface RepeatableRequest {
  readonly account: string
  readonly shard: AccountShard
  /** SHA-256 of what the client names the request by, in Base64 for URLs. */
  readonly digest: string
  /** SHA-256 of everything that decides the answer, in the same form. */
  readonly fingerprint: string
}

/** What became of a request. */
export type ClaimAnswer =
  /** The caller holds the claim, and runs the request. */
  | { readonly outcome: 'claimed' }
  /** Another one runs it. */
  | { readonly outcome: 'running' }
  /** Another request has this name. */
  | { readonly outcome: 'other' }
  /** It was answered, but its answer is not kept; or it is not known whether it was answered. */
  | { readonly outcome: 'lost' }
  | { readonly outcome: 'kept'; readonly answer: Buffer }

/** How much Redis keeps, in bytes. */
export interface KeptBudget {
  /** Of all accounts of a shard together. */
  readonly shardBytes: number
  readonly accountBytes: number
}

/** What became of an answer. */
export interface Kept {
  /** `lost`: only a mark is kept. `none`: not even that. `other`: another one holds the claim. */
  readonly outcome: 'kept' | 'lost' | 'none' | 'other'
  /** Answers that became marks, because this one needed room. */
  readonly evicted: number
}

/** How long others wait for the holder of a claim, if it does not claim again, ms. */
export const leaseMs = 15_000
/** How long an answer is kept, ms. */
export const keptMs = 600_000

/**
 * Claims a request, or finds out what became of it. The holder keeps its claim by claiming again.
 *
 * @param token of the caller: a UUID
 * @param rememberedMs how long after the last claim nobody else runs the request, if its holder never says how it ended
 * @throws as `callForShard`
 */
export async function claimRequest(
  link: RedisLink,
  request: RepeatableRequest,
  token: string,
  rememberedMs: number,
  waitMs: number = leaseMs
): Promise<ClaimAnswer> {
  const times = [String(waitMs), String(rememberedMs)]
  const answer = (await call(link, 'tgClaimRequest', request, token, times, true)) as Buffer | [Buffer]
  if (Array.isArray(answer)) return { outcome: 'kept', answer: answer[0] }
  return { outcome: answer.toString() as 'claimed' | 'running' | 'other' | 'lost' }
}

/**
 * Replaces the caller's claim by an answer, and removes the oldest answers if there is no room.
 *
 * @param answer null to keep only a mark: repeated requests then learn that the answer is not kept
 * @throws as `callForShard`
 */
export async function keepAnswer(
  link: RedisLink,
  request: RepeatableRequest,
  token: string,
  answer: Buffer | null,
  { shardBytes, accountBytes }: KeptBudget,
  lastsMs: number = keptMs
): Promise<Kept> {
  const limits = [lastsMs, shardBytes, accountBytes].map(String)
  const value = answer === null ? '' : `k${request.fingerprint}${answer.toString('latin1')}`
  const reply = await call(link, 'tgKeepAnswer', request, token, [...limits, value], false)
  const [outcome, evicted] = reply as [Kept['outcome'], number]
  return { outcome, evicted }
}

/** Ends the caller's claim without an answer, so that the next request runs. @throws as `callForShard` */
export async function dropClaim(link: RedisLink, request: RepeatableRequest, token: string): Promise<void> {
  await call(link, 'tgDropClaim', request, token, [], false)
}

/** @param further arguments, as binary strings */
function call(
  link: RedisLink,
  script: string,
  { account, shard, digest, fingerprint }: RepeatableRequest,
  token: string,
  further: readonly string[],
  answersInBytes: boolean
): Promise<unknown> {
  const rest = [fingerprint, token, ...further]
  return callForShard(link, shard, script, {
    keyCount: 1,
    keys: bulk(claimName(account, digest)),
    argumentCount: rest.length,
    rest: rest.map(bulk).join(''),
    answersInBytes
  })
}
