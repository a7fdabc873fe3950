import { callForShard } from '../link/call-script.ts'
import type { RedisLink } from '../link/redis-link.ts'
import { bulk, createUnpacker, inOnePiece, packNumbers, packText, type Unpacker } from '../wire/packed.ts'
import type { PreparedAccount } from '../wire/prepared-account.ts'
import { type JudgedVersions, moved, type RecordsAnswer } from './confirm.ts'

/**
 * What a key and its account may do, as judged. Amounts are nanodollars, rates are per minute; null is no limit. A burst is
 * how much of a minute's rate may be taken at once, at most all of it.
 */
export type Allowances = {
  keyBudgetNanos: number | null
  /** The smaller of the plan's cap and the account's own. */
  accountBudgetNanos: number
  keyRequests: number | null
  /** Of `keyRequests`; null without them. */
  keyRequestBurst: number | null
  requests: number
  requestBurst: number
  tokens: number
  tokenBurst: number
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
  /** How many pass at once, at most the burst. */
  requestsLeft: number
  requestsRestMs: number
  /** The same of tokens. A single request of more passes once `tokensRestMs` have gone by. */
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

/** What was decided of one request. */
export type RequestAnswer =
  | ({ outcome: 'admitted' } & Hold & RateState)
  | BudgetRefusal
  | ({ outcome: 'over-limit'; limit: Limit; waitMs: number } & RateState)
  /** It had been cancelled: see settle.ts. */
  | { outcome: 'cancelled' }

/** Why nothing was decided of any request. */
export type UndecidedAnswer =
  /** Holds of the account are past their deadline, and should be reaped first. */
  { outcome: 'overdue' } | RecordsAnswer

export type AdmitAnswer = RequestAnswer | UndecidedAnswer

/** One of several requests of a key that are asked for together. */
export type AskedRequest = { id: string; model: string; bound: CostBound }

/** What is the same in every question about a key, in the form of the wire: until it is judged on other records. */
export type PreparedAdmission = { readonly account: PreparedAccount; readonly terms: string }

/** Requests of one key that are asked for together. */
export type AskedGroup = {
  admission: PreparedAdmission
  requests: readonly AskedRequest[]
  /** Whether overdue holds have been reaped already, so that those that are left must not be in the way. */
  reaped: boolean
}

/**
 * The question whether requests may start of a key that was judged on these versions to have these allowances.
 *
 * @param endsAt when the presented secret stops working, ms since the epoch, as judged; null for never
 * @param holdMs how long a hold lasts: longer than any request may
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
  const { keyRequestBurst, requestBurst, tokenBurst } = allowances
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
    microsOf(tokenBurst, tokens)
  )
  return { account, terms: inOnePiece(numbers + packText(`k:${key}`)) }
}

/**
 * How far ahead a rate's time of arrival may lie, µs: its burst, and a little for rounding. A millisecond is more than
 * rounding adds up to; half a unit never admits another one.
 */
function microsOf(burst: number, perMinute: number): number {
  const perUnit = 60e6 / perMinute
  return burst * perUnit + Math.min(1000, perUnit / 2)
}

/**
 * Asks Redis, in one round trip, whether requests may start, and reserves what each may cost at most. Nothing of a group
 * depends on the others, but if Redis is spread all of their accounts must be of one shard.
 *
 * @returns for each group an answer for each request, or one for all of them that says nothing was decided
 * @throws RedisAwayError if it was not sent. Else ioredis' error if no answer comes in time: then it is not known whether
 *   something was reserved, and the requests must be cancelled
 */
export async function admit(
  link: RedisLink,
  groups: readonly AskedGroup[]
): Promise<Array<RequestAnswer[] | UndecidedAnswer>> {
  let keys = ''
  let rest = ''
  for (const { admission, requests, reaped } of groups) {
    keys += admission.account.name
    let asked = admission.terms + (reaped ? wasReaped : wasNotReaped)
    for (const request of requests) asked += packRequest(request)
    rest += bulk(asked)
  }
  const call = { keyCount: groups.length, keys, argumentCount: groups.length, rest, answersInBytes: true }
  const answer = await callForShard(link, groups[0]!.admission.account.shard, 'tgAdmit', call)
  const unpacker = createUnpacker(answer as Buffer)
  return groups.map(({ requests }) => readGroup(unpacker, requests.length))
}

const [wasReaped, wasNotReaped] = [packNumbers(1), packNumbers(0)]

function packRequest({ id, model, bound }: AskedRequest): string {
  const { promptPicos, outputPicos, promptTokens, outputTokens, wantedTokens, fewestTokens } = bound
  const numbers = packNumbers(promptPicos, outputPicos, promptTokens, outputTokens, wantedTokens, fewestTokens)
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

/** Members are read in the order in which they are written here, which is that of the script. */
function readAnswer(unpacker: Unpacker, kind: number): RequestAnswer {
  switch (kind) {
    case kinds.admitted:
      return {
        outcome: 'admitted',
        grantedTokens: unpacker.number(),
        at: unpacker.number(),
        nanos: unpacker.number(),
        requests: unpacker.number(),
        requestsLeft: unpacker.number(),
        requestsRestMs: unpacker.number(),
        tokensLeft: unpacker.number(),
        tokensRestMs: unpacker.number()
      }
    case kinds.overLimit:
      return {
        outcome: 'over-limit',
        limit: limits[unpacker.number()]!,
        waitMs: unpacker.number(),
        requests: unpacker.number(),
        requestsLeft: unpacker.number(),
        requestsRestMs: unpacker.number(),
        tokensLeft: unpacker.number(),
        tokensRestMs: unpacker.number()
      }
    case kinds.overBudget:
      return {
        outcome: 'over-budget',
        scope: budgets[unpacker.number()]!,
        limit: unpacker.number(),
        settled: unpacker.number(),
        reserved: unpacker.number(),
        needed: unpacker.number(),
        month: unpacker.number()
      }
    case kinds.cancelled:
      return { outcome: 'cancelled' }
    default:
      throw new Error(`an answer of an unknown kind: ${kind}`)
  }
}
