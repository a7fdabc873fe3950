import { accountShard, deadlinesName, gonePrefix, holdName, limitName, spendName } from '../keyspace/names.ts'
import { bulk, bulkAscii, bulks, callScript } from './call-script.ts'
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

type RawAnswer = string | RawRecords

/** One of several requests of a key that are asked for together. */
export type AskedRequest = { id: string; model: string; bound: CostBound }

/** What is the same in every question about a key, in the form of the wire: until it is judged on other records. */
export type PreparedAdmission = { readonly keys: string; readonly terms: string }

/** Requests of one key that are asked for together. */
export type AskedGroup = {
  admission: PreparedAdmission
  requests: readonly AskedRequest[]
  /** Whether overdue holds have been reaped already, so that those that are left must not be in the way. */
  reaped: boolean
}

const [keysOfGroup, termsOfGroup, argumentsOfRequest] = [8, 13, 8]

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
): PreparedAdmission {
  const { keyBudgetNanos, accountBudgetNanos, keyRequests, requests, tokens, concurrentRequests, requestNanos } =
    allowances
  const orNone = (limit: number | null) => (limit === null ? '' : String(limit))
  const keys = [
    ...recordKeys(account),
    spendName(account),
    limitName(account),
    holdName(account),
    deadlinesName(accountShard(account)),
    gonePrefix(account)
  ]
  const terms = [
    ...recordArguments(key, judged, endsAt),
    account,
    orNone(keyBudgetNanos),
    orNone(keyRequests),
    ...[accountBudgetNanos, requestNanos, concurrentRequests, holdMs, requests, tokens].map(String)
  ]
  return { keys: bulks(keys), terms: bulks(terms) }
}

/**
 * Asks Redis, in one round trip, whether requests may start, and reserves what each may cost at most. Nothing of a group
 * depends on the others, but in a Redis Cluster all of their accounts must be of one shard.
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
  let argumentCount = 0
  for (const { admission, requests, reaped } of groups) {
    keys += admission.keys
    rest += admission.terms + bulkAscii(reaped ? '1' : '0') + bulkAscii(String(requests.length))
    argumentCount += termsOfGroup + 2 + argumentsOfRequest * requests.length
    for (const request of requests) rest += encodeRequest(request)
  }
  const call = { keyCount: keysOfGroup * groups.length, keys, argumentCount, rest }
  const answers = (await callScript(link, 'tgAdmit', call)) as RawAnswer[]
  return answers.map((answer) => {
    if (typeof answer !== 'string') return moved(answer)
    if (answer === 'ended' || answer === 'unverified' || answer === 'overdue') return { outcome: answer }
    return answer.split('\n').map(readAnswer)
  })
}

function encodeRequest({ id, model, bound }: AskedRequest): string {
  const { promptPicos, outputPicos, promptTokens, outputTokens, wantedTokens, fewestTokens } = bound
  const [prompt, output] = [String(promptPicos), String(outputPicos)]
  const [tokens, each] = [String(promptTokens), String(outputTokens)]
  const [wanted, fewest] = [String(wantedTokens), String(fewestTokens)]
  return (
    `$${id.length}\r\n${id}\r\n${bulk(model)}$${prompt.length}\r\n${prompt}\r\n$${output.length}\r\n${output}\r\n` +
    `$${tokens.length}\r\n${tokens}\r\n$${each.length}\r\n${each}\r\n` +
    `$${wanted.length}\r\n${wanted}\r\n$${fewest.length}\r\n${fewest}\r\n`
  )
}

function readAnswer(text: string): RequestAnswer {
  const parts = text.split(' ')
  if (parts[0] === 'admitted') {
    const rates = readRates(parts, 4)
    return {
      outcome: 'admitted',
      grantedTokens: Number(parts[1]),
      at: Number(parts[2]),
      nanos: Number(parts[3]),
      ...rates
    }
  }
  if (parts[0] === 'over-limit') {
    return { outcome: 'over-limit', limit: parts[1] as Limit, waitMs: Number(parts[2]), ...readRates(parts, 3) }
  }
  if (parts[0] === 'cancelled') return { outcome: 'cancelled' }
  const [, scope, limit, settled, reserved, needed, month] = parts
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

const readRates = (parts: readonly string[], from: number): RateState => ({
  requests: Number(parts[from]),
  requestsLeft: Number(parts[from + 1]),
  requestsRestMs: Number(parts[from + 2]),
  tokensLeft: Number(parts[from + 3]),
  tokensRestMs: Number(parts[from + 4])
})
