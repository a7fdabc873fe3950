import { callForShard } from '../link/call-script.ts'
import type { RedisLink } from '../link/redis-link.ts'
import {
  bulk,
  createUnpacker,
  inOnePiece,
  type PreparedAccount,
  packNumbers,
  packText,
  type Unpacker
} from '../wire/packed.ts'
import { type JudgedVersions, moved, type RecordsAnswer } from './confirm.ts'

/**
 * The limits of a key and its account. Amounts are nanodollars, rates are per minute; null is no limit. A burst is how
 * much of a minute's rate may be used at once, at most the whole rate.
 */
export interface Allowances {
  keyBudgetNanos: number | null
  /** The smaller of the plan's cap and the account's own. */
  accountBudgetNanos: number
  /** What counts as spend of a month (yyyymm) besides usage. It may be below zero. */
  adjusted: { month: number; nanos: number } | null
  keyRequests: number | null
  /** The burst of `keyRequests`; null if that is null. */
  keyRequestBurst: number | null
  requests: number
  requestBurst: number
  tokens: number
  tokenBurst: number
  concurrentRequests: number
  requestNanos: number
  /** What a request counts for besides the above: the budgets with a window, then the limits of counts. */
  windows: readonly WindowLimit[]
}

/** The limit of a budget with a window, or of a count. */
export interface WindowLimit {
  /** Of the account's hash in Redis: see {@link budgetField} and {@link countFields}. */
  readonly field: string
  /** Nanodollars; or tokens, or requests. */
  readonly limit: number
}

/** The maximum cost of a request. Redis decides how many output tokens it grants within the budgets. */
export interface CostBound {
  /** Picodollars of the whole prompt. */
  promptPicos: number
  promptTokens: number
  /** Picodollars for each granted token. */
  outputPicos: number
  /** Output tokens for each granted token: the number of answers, since each may have all granted tokens. */
  outputTokens: number
  wantedTokens: number
  /** At most `wantedTokens`. If the budgets allow fewer tokens, the request is refused. */
  minTokens: number
}

/**
 * The state of the rates after a decision. `…RestMs` is the time until the full burst is available again, milliseconds.
 */
export interface RateState {
  /** Requests a minute, of the key or the account: the rate that will refuse first. */
  requests: number
  /** Requests that may come at once now, at most the burst. */
  requestsLeft: number
  requestsRestMs: number
  /** Tokens that may come at once now. One larger request is admitted after `tokensRestMs`. */
  tokensLeft: number
  /** Of the account's rate. */
  tokensRestMs: number
}

/** The reservation for an admitted request. */
export interface Hold {
  grantedTokens: number
  /**
   * When it was admitted, seconds since the epoch by the clock of Redis. It decides the month and the hour of the
   * usage.
   */
  at: number
  nanos: number
}

/**
 * What is left of the tightest budget besides that of a request, with all reservations; below 0 if more was spent.
 */
export interface BudgetLeft {
  budgetLeftNanos: number
}

/** `window`: one of the budgets with a window. */
export type Budget = 'request' | 'key' | 'account' | 'window'
/** `counted`: one of the limits of counts. */
export type Limit = 'concurrent' | 'requests' | 'tokens' | 'counted'

/** The refusal by a budget. Amounts are nanodollars. */
export interface BudgetRefusal {
  outcome: 'over-budget'
  scope: Budget
  limit: number
  settled: number
  reserved: number
  needed: number
  /** The number of the budget's window: see budget-windows.ts. A month's is yyyymm (UTC). */
  window: number
  /** Which of `Allowances.windows` refused; null for another budget. */
  budget: number | null
}

/** The refusal by a rate or a limit. */
export interface LimitRefusal extends RateState {
  outcome: 'over-limit'
  limit: Limit
  waitMs: number
  /** Which of `Allowances.windows` refused; null for another limit. */
  window: number | null
}

/** The decision about one request. */
export type RequestAnswer =
  | ({ outcome: 'admitted' } & Hold & BudgetLeft & RateState)
  | BudgetRefusal
  | LimitRefusal
  /** It was cancelled before: see settle.ts. */
  | { outcome: 'cancelled' }

/** The outcome for a group without any decision. */
export type UndecidedAnswer =
  /** The account has overdue holds: reap them first. */
  { outcome: 'overdue' } | RecordsAnswer

export type AdmitAnswer = RequestAnswer | UndecidedAnswer

/** A request to decide about. */
export interface AskedRequest {
  id: string
  model: string
  bound: CostBound
}

/** The encoded arguments that all requests of a key share until its records change. */
export interface PreparedAdmission {
  readonly account: PreparedAccount
  readonly terms: string
  /** The fields of `Allowances.windows`, separated by spaces. Its settlements need them. */
  readonly budgets: string
}

/** Requests of one key. */
export interface AskedGroup {
  admission: PreparedAdmission
  requests: readonly AskedRequest[]
  /** Whether overdue holds were reaped before. Then remaining overdue holds do not stop the decision. */
  reaped: boolean
}

/**
 * Encodes the arguments that all requests of a key share.
 *
 * @param judged versions of the records that gave these allowances
 * @param endsAt when the presented secret stops working, ms since the epoch; null for never
 * @param holdMs how long a hold lasts: longer than any request may take
 */
export function prepareAdmission(
  account: PreparedAccount,
  key: string,
  judged: JudgedVersions,
  endsAt: number | null,
  allowances: Allowances,
  holdMs: number
): PreparedAdmission {
  const { keyBudgetNanos, accountBudgetNanos, keyRequests, requests, tokens, concurrentRequests, requestNanos } =
    allowances
  const { keyRequestBurst, requestBurst, tokenBurst, adjusted, windows } = allowances
  const numbers = packNumbers(
    Number(judged.key),
    Number(judged.account),
    endsAt ?? -1,
    keyBudgetNanos ?? -1,
    keyRequests ?? -1,
    accountBudgetNanos,
    requestNanos,
    concurrentRequests,
    holdMs,
    requests,
    tokens,
    microsOf(requestBurst, requests),
    microsOf(keyRequestBurst ?? 1, keyRequests ?? 1),
    microsOf(tokenBurst, tokens),
    adjusted?.month ?? 0,
    adjusted?.nanos ?? 0
  )
  let terms = numbers + packText(`k:${key}`) + packNumbers(windows.length)
  for (const { limit, field } of windows) terms += packNumbers(limit) + packText(field)
  return { account, terms: inOnePiece(terms), budgets: windows.map(({ field }) => field).join(' ') }
}

/**
 * How far ahead the arrival time of a rate may lie, µs: the burst, and a little for rounding. A millisecond is more
 * than the sum of rounding errors. Half a unit never admits another unit.
 */
function microsOf(burst: number, perMinute: number): number {
  const perUnit = 60e6 / perMinute
  return burst * perUnit + Math.min(1000, perUnit / 2)
}

/**
 * Asks Redis, in one round trip, whether requests may start, and reserves the maximum cost of each. Groups are
 * independent. If Redis is spread, all accounts must be of one shard.
 *
 * @returns for each group: an answer for each request, or one answer if nothing was decided
 * @throws RedisAwayError if the call was not sent; else ioredis' error if no answer comes in time. Then requests may
 *   have been admitted, and must be cancelled
 */
export async function admit(
  link: RedisLink,
  groups: readonly AskedGroup[]
): Promise<Array<RequestAnswer[] | UndecidedAnswer>> {
  let keys = ''
  let rest = ''
  for (const { admission, requests, reaped } of groups) {
    keys += admission.account.name
    let args = admission.terms + (reaped ? wasReaped : wasNotReaped)
    for (const request of requests) args += packRequest(request)
    rest += bulk(args)
  }
  const call = { keyCount: groups.length, keys, argumentCount: groups.length, rest, answersInBytes: true }
  const answer = await callForShard(link, groups[0]!.admission.account.shard, 'tgAdmit', call)
  const unpacker = createUnpacker(answer as Buffer)
  return groups.map(({ requests }) => readGroup(unpacker, requests.length))
}

const [wasReaped, wasNotReaped] = [packNumbers(1), packNumbers(0)]

function packRequest({ id, model, bound }: AskedRequest): string {
  const { promptPicos, outputPicos, promptTokens, outputTokens, wantedTokens, minTokens } = bound
  const numbers = packNumbers(promptPicos, outputPicos, promptTokens, outputTokens, wantedTokens, minTokens)
  return `${numbers}h:${packText(id)}${packText(model)}`
}

/** Kinds of answers, as admit.lua numbers them. */
const kinds = { admitted: 0, overLimit: 1, overBudget: 2, cancelled: 3, ended: 4, unverified: 5, overdue: 6, moved: 7 }
const limits: readonly Limit[] = ['concurrent', 'requests', 'tokens']
const budgets: readonly Budget[] = ['request', 'key', 'account']

function readGroup(unpacker: Unpacker, requests: number): RequestAnswer[] | UndecidedAnswer {
  const kind = unpacker.number()
  if (kind === kinds.ended) return { outcome: 'ended' }
  if (kind === kinds.unverified) return { outcome: 'unverified' }
  if (kind === kinds.overdue) return { outcome: 'overdue' }
  if (kind === kinds.moved) return moved([unpacker.text(), unpacker.text(), unpacker.text(), unpacker.text()])
  const answers = [readAnswer(unpacker, kind)]
  while (answers.length < requests) answers.push(readAnswer(unpacker, unpacker.number()))
  return answers
}

/** The order of the members matters: the script returns them in this order. */
function readAnswer(unpacker: Unpacker, kind: number): RequestAnswer {
  switch (kind) {
    case kinds.admitted:
      return {
        outcome: 'admitted',
        grantedTokens: unpacker.number(),
        at: unpacker.number(),
        nanos: unpacker.number(),
        budgetLeftNanos: unpacker.number(),
        requests: unpacker.number(),
        requestsLeft: unpacker.number(),
        requestsRestMs: unpacker.number(),
        tokensLeft: unpacker.number(),
        tokensRestMs: unpacker.number()
      }
    case kinds.overLimit: {
      const reason = unpacker.number()
      return {
        outcome: 'over-limit',
        limit: limits[reason] ?? 'counted',
        window: reason < limits.length ? null : reason - limits.length,
        waitMs: unpacker.number(),
        requests: unpacker.number(),
        requestsLeft: unpacker.number(),
        requestsRestMs: unpacker.number(),
        tokensLeft: unpacker.number(),
        tokensRestMs: unpacker.number()
      }
    }
    case kinds.overBudget: {
      const reason = unpacker.number()
      return {
        outcome: 'over-budget',
        scope: budgets[reason] ?? 'window',
        limit: unpacker.number(),
        settled: unpacker.number(),
        reserved: unpacker.number(),
        needed: unpacker.number(),
        window: unpacker.number(),
        budget: reason < budgets.length ? null : reason - budgets.length
      }
    }
    case kinds.cancelled:
      return { outcome: 'cancelled' }
    default:
      throw new Error(`admit.lua returned an unknown kind of answer: ${kind}`)
  }
}
