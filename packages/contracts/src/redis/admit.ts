import { accountShard, deadlinesName, gonePrefix, holdName, limitName, spendName } from '../keyspace/names.ts'
import { PreparedCall } from './prepared-call.ts'
import type { RedisLink } from './redis-link.ts'
import {
  type JudgedVersions,
  moved,
  type RawRecords,
  type RecordsAnswer,
  recordArguments,
  recordKeys
} from './verify.ts'

/** What a key and its account may do, as judged. Amounts are nanodollars, rates are per minute; null is no limit. */
export type Allowances = {
  keyBudgetNanos: number | null
  /** The smaller of the plan's cap and the account's own. */
  accountBudgetNanos: number
  keyRequests: number | null
  requests: number
  tokens: number
  concurrentRequests: number
  requestNanos: number
}

/** The most that a request can cost, with what Redis may choose within it: how many tokens of output it is granted. */
export type CostBound = {
  /** Picodollars of the whole prompt. */
  promptPicos: number
  promptTokens: number
  /** Picodollars, and tokens, for each token that is granted: several answers have as many each. */
  outputPicos: number
  outputTokens: number
  wantedTokens: number
  /** At most `wantedTokens`; with fewer the request is not worth making, and is refused. */
  fewestTokens: number
}

/** Where the rates stand after a request was judged. Milliseconds are until all is there again. */
export type RateState = {
  /** Requests a minute: the key's or the account's, whichever will be in the way first. */
  requests: number
  requestsLeft: number
  requestsRestMs: number
  tokensLeft: number
  tokensRestMs: number
}

/** What was reserved for an admitted request. */
export type Hold = {
  grantedTokens: number
  /** When it was admitted, seconds since the epoch by the clock of Redis: the month and hour that it belongs to. */
  at: number
  nanos: number
}

export type Budget = 'request' | 'key' | 'account'
export type Limit = 'concurrent' | 'requests' | 'tokens'

/** Why a budget does not allow a request. Amounts are nanodollars. */
export type BudgetRefusal = {
  outcome: 'over-budget'
  scope: Budget
  limit: number
  settled: number
  reserved: number
  needed: number
  /** The month that it counts for, yyyymm (UTC). */
  month: number
}

export type AdmitAnswer =
  | ({ outcome: 'admitted' } & Hold & RateState)
  | BudgetRefusal
  | ({ outcome: 'over-limit'; limit: Limit; waitMs: number } & RateState)
  /** It had been cancelled: see cancel.ts. */
  | { outcome: 'cancelled' }
  /** Holds of the account are past their deadline, and should be reaped first. */
  | { outcome: 'overdue' }
  | RecordsAnswer

type RawRates = [requests: number, requestsLeft: number, requestsRestMs: number, tokensLeft: number, tokensRest: number]
type RawAnswer =
  | 'ended'
  | 'unverified'
  | 'cancelled'
  | 'overdue'
  | [grantedTokens: number, at: number, nanos: number, ...RawRates]
  | ['refused', Limit, waitMs: number, ...RawRates]
  | ['refused', Budget, limit: string, settled: string, reserved: string, needed: string, month: number]
  | RawRecords

/**
 * The question whether requests may start of a key that was judged on these versions to have these allowances.
 *
 * @param endsAt when the presented secret stops working, ms since the epoch, as judged; null for never
 * @param holdMs how long a hold lasts: longer than any request may
 */
export function prepareAdmission(
  account: string,
  key: string,
  judged: JudgedVersions,
  endsAt: number | null,
  allowances: Allowances,
  holdMs: number
): PreparedCall {
  const { keyBudgetNanos, accountBudgetNanos, keyRequests, requests, tokens, concurrentRequests, requestNanos } =
    allowances
  const orNone = (limit: number | null) => (limit === null ? '' : String(limit))
  return new PreparedCall(
    'tgAdmit',
    [
      ...recordKeys(account),
      spendName(account),
      limitName(account),
      holdName(account),
      deadlinesName(accountShard(account)),
      gonePrefix(account)
    ],
    [
      ...recordArguments(key, judged, endsAt),
      account,
      orNone(keyBudgetNanos),
      String(accountBudgetNanos),
      orNone(keyRequests),
      String(requests),
      String(tokens),
      String(concurrentRequests),
      String(requestNanos),
      String(holdMs)
    ]
  )
}

/**
 * Asks Redis, in one round trip, whether a request may start, and reserves what it may cost at most.
 *
 * @param reaped whether overdue holds have been reaped already, so that those that are left must not be in the way
 * @throws RedisAwayError if it was not sent. Else ioredis' error if no answer comes in time: then it is not known whether
 *   something was reserved, and the request must be cancelled
 */
export async function admit(
  link: RedisLink,
  admission: PreparedCall,
  id: string,
  model: string,
  bound: CostBound,
  reaped: boolean
): Promise<AdmitAnswer> {
  const answer = (await admission.send(link, [
    id,
    reaped ? '1' : '',
    model,
    String(bound.promptPicos),
    String(bound.promptTokens),
    String(bound.outputPicos),
    String(bound.outputTokens),
    String(bound.wantedTokens),
    String(bound.fewestTokens)
  ])) as RawAnswer
  if (typeof answer === 'string') return { outcome: answer }
  if (typeof answer[0] === 'number') {
    const [grantedTokens, at, nanos, requests, requestsLeft, requestsRestMs, tokensLeft, tokensRestMs] =
      answer as RawAnswer & [number, number, number, ...RawRates]
    return {
      outcome: 'admitted',
      grantedTokens,
      at,
      nanos,
      requests,
      requestsLeft,
      requestsRestMs,
      tokensLeft,
      tokensRestMs
    }
  }
  if (answer[0] !== 'refused') return moved(answer as RawRecords)
  return refusal(answer as RawAnswer & ['refused', ...unknown[]])
}

function refusal(answer: RawAnswer & ['refused', ...unknown[]]): AdmitAnswer {
  if (answer.length === 7) {
    const [, scope, limit, settled, reserved, needed, month] = answer
    return {
      outcome: 'over-budget',
      scope: scope as Budget,
      limit: Number(limit),
      settled: Number(settled),
      reserved: Number(reserved),
      needed: Number(needed),
      month: Number(month)
    }
  }
  const [, limit, waitMs, requests, requestsLeft, requestsRestMs, tokensLeft, tokensRestMs] = answer as [
    'refused',
    Limit,
    number,
    ...RawRates
  ]
  return { outcome: 'over-limit', limit, waitMs, requests, requestsLeft, requestsRestMs, tokensLeft, tokensRestMs }
}
