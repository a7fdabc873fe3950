import type { ModelKind } from '@tollgate/contracts/catalog/apis.ts'
import type { Model } from '@tollgate/contracts/catalog/catalog.ts'
import { chargedPrices, hasRatesOfAdmission, type PriceGroup } from '@tollgate/contracts/catalog/list-prices.ts'
import { ServiceError } from '@tollgate/contracts/errors/service-error.ts'
import type { Presenter } from '@tollgate/contracts/keys/judge-key.ts'
import type { ModelPrices } from '@tollgate/contracts/prices/model-prices.ts'
import { isFree } from '@tollgate/contracts/prices/rates-for.ts'
import { overrideEndsAt, planOf } from '@tollgate/contracts/records/budgets.ts'
import {
  type AdmitAnswer,
  type BudgetLeft,
  type CostBound,
  type Hold,
  type LimitRefusal,
  prepareAdmission,
  type RateState
} from '@tollgate/state/admission/admit.ts'
import { RedisAwayError, type RedisLink } from '@tollgate/state/link/redis-link.ts'
import type { PreparedAccount } from '@tollgate/state/wire/packed.ts'
import type { AccountAllowances, KeyAdmission, KnownKey } from '../authenticate/known-key.ts'
import type { CatalogView } from '../catalog/live-catalog.ts'
import type { GrantedCalls, TokenBound } from '../tokens/token-bound.ts'
import type { Admissions } from './admissions.ts'
import { allowancesOf, budgetsOf, countsOfFreeModels } from './allowances.ts'
import { budgetError } from './budget-errors.ts'
import { confirmVerdict, maxAttempts, recordsOf, refusalError, remember, throughRedis } from './confirm-key.ts'
import { type CallTime, costBound, leastOutput, shrinkOutput, withinRate } from './cost-bound.ts'
import { earlier, endOverride } from './end-override.ts'
import { type FreeOffer, freeSpendError } from './free-offer.ts'
import { judgeCall } from './judge.ts'
import { exceedsRateError, limitError, limitOf } from './limit-errors.ts'

/** What admission needs. */
export interface Admission {
  redis: RedisLink
  admissions: Admissions
  freeOffer: Pick<FreeOffer, 'closedUntil'>
  /** How long a hold lasts, ms: longer than any request. */
  holdMs: number
  /** Ends a bounded number of an account's overdue holds. @throws RedisAwayError, or another error of ioredis */
  reap: (account: string) => Promise<unknown>
  /** Cancels a request that Redis may have admitted, and that the gateway will not make. */
  cancel: (account: PreparedAccount, requestId: string) => void
  /** Whether too many settlements wait. No request is admitted then. */
  isFull: () => boolean
}

export interface CallRequest {
  id: string
  key: KnownKey
  /** Whose address the key must allow. */
  presenter: Presenter
  /** The catalog at the time of the request. */
  catalog: CatalogView
  name: string
  kind: ModelKind
  /** null if the catalog has no model of that name and kind. */
  model: Model | null
  /**
   * Bounds the tokens by the size of the body. Called only if the key may use the model: before that, a refusal would
   * disclose whether the model exists.
   *
   * @throws ServiceError if the model does not accept the request
   */
  bound: (model: Model) => TokenBound
  /**
   * Counts the prompt better than by its bytes; null if it cannot be counted so, or not now. Each way is tried once, if
   * that could help.
   */
  count: (way: CountingWay) => Promise<number | null> | null
}

/** How a prompt can be counted, the cheapest way first. */
const countingWays = ['tokenizer', 'provider'] as const
export type CountingWay = (typeof countingWays)[number]

/** What an admitted request may use. */
export interface Admitted {
  hold: Hold & BudgetLeft
  /** The tokens that were taken from the rate: an estimate of the prompt, and the granted output. */
  heldTokens: number
  /** The maximum tokens of the prompt, which the hold pays for, and those of the output. */
  promptTokens: number
  outputTokens: number
  rates: RateState
  /** The account's rate, which the unused part of the hold goes back to. */
  tokensPerMinute: number
  /** The tokens a minute that headers name: the lowest. */
  mostTokens: number
  /** Calls of a tool that the provider runs; null if the request has no such tool. */
  toolCalls: GrantedCalls | null
  /** The plan that admitted it. */
  plan: string
  /** What the account pays for the model: see `chargedPrices`. Its rates stay those of the admission. */
  prices: ModelPrices
  /** The price group that gave them; null for the list prices. */
  priceGroup: PriceGroup | null
  /** The budgets with a window that hold it, as its settlement names them. */
  budgets: string
  /** Unix milliseconds of this process. */
  admittedAt: number
}

/**
 * Admits a request and reserves its maximum cost, or throws the refusal.
 *
 * The request is judged on the records that this process remembers. Redis decides only on its current records; if they
 * differ, the request is judged again on them. A refusal, too, needs records that Redis has just confirmed. If only the
 * bound of the prompt is too large, the prompt is counted better, in each way once. A request with calls of the
 * provider's tools is then tried with fewer of them. If only the length of the output exceeds the rate, it shrinks,
 * once.
 *
 * @throws ServiceError with the verdict's code, an error of `bound`, of a budget or limit, free_spend_exhausted,
 *   exceeds_rate_limit or state_unavailable
 */
export async function admitRequest(admission: Admission, request: CallRequest): Promise<Admitted> {
  const { key, catalog, name, kind, model } = request
  const { redis, admissions, freeOffer, holdMs } = admission
  let bound: TokenBound | null = null
  let counter: PromptCounter | null = null
  let [confirmed, shrunk, reaped] = [false, false, false]
  if (admission.isFull()) throw new ServiceError('state_unavailable')
  const from = Date.now()
  for (let attempt = 0; attempt < maxAttempts; attempt++) {
    const judged = key.accountRecord
    const verdict = judgeCall(recordsOf(key), key.digest, request.presenter, catalog, name, kind)
    if (!verdict.allowed) {
      if (confirmed) throw refusalError(verdict)
      confirmed = await confirmVerdict(redis, key, verdict)
      continue
    }
    const { prepared, allowances, plan, priceGroup } = prepare(key, catalog, name, model!, verdict.endsAt, holdMs)
    bound ??= request.bound(model!)
    const prices = chargedPrices(model!, priceGroup)
    const time = { from, until: hasRatesOfAdmission(prices, model!) ? from : from + holdMs }
    const whole = costBound(bound, model!, prices, time)
    if (allowances.isOnFreeOffer && freeOffer.closedUntil() > Date.now() && isCharged(whole)) {
      // Redis may know that the account pays by now.
      if (confirmed) throw freeSpendError(freeOffer.closedUntil(), Date.now())
      confirmed = await confirmVerdict(redis, key, verdict)
      continue
    }
    const cost = withinRate(whole, allowances.mostTokens)
    let answer: AdmitAnswer | null = null
    try {
      if (cost !== null) {
        answer = await admissions.ask(prepared, { id: request.id, model: name, bound: cost }, reaped)
      }
    } catch (cause) {
      // A cancellation leaves a marker in Redis. A full Redis must not get a marker with every attempt.
      if (!(cause instanceof RedisAwayError)) admission.cancel(key.prepared, request.id)
      throw new ServiceError('state_unavailable', { cause })
    }
    switch (answer?.outcome) {
      case 'admitted':
        return {
          ...admittedAs(answer, cost!, bound, allowances, from),
          plan,
          prices,
          priceGroup,
          budgets: prepared.budgets
        }
      case 'ended':
        if (endOverride(key, judged, verdict.endsAt)) continue
        throw new ServiceError(verdict.endedCode)
      case 'moved':
        remember(key, answer)
        continue
      case 'overdue':
        await throughRedis(() => admission.reap(key.pointer.account))
        reaped = true
        continue
      case 'unverified':
      case 'cancelled':
        throw new ServiceError('state_unavailable')
    }
    // Refused. Perhaps the prompt is shorter than its bound.
    const couldBeShorter: boolean = dependsOnPrompt(answer, withoutPrompt(bound, model!, prices, time), allowances)
    counter ??= new PromptCounter(request)
    const shorter: TokenBound | null = couldBeShorter ? await counter.shorten(bound, answer) : null
    if (shorter !== null) {
      bound = shorter
      continue
    }
    const couldHaveFewerCalls: boolean =
      answer === null || answer.outcome === 'over-budget' || isOverTokens(answer, allowances)
    if (bound.fewerCalls != null && couldHaveFewerCalls) {
      bound = bound.fewerCalls()
      continue
    }
    if (answer === null) throw exceedsRateError(whole, counter.isCounted, allowances, { name, plan, catalog })
    const least: number = shrunk ? cost!.wantedTokens : leastOutput(cost!, bound.isDefault === true, model!)
    const smaller: ReturnType<typeof shrinkOutput> | AdmitAnswer = isOverTokens(answer, allowances)
      ? shrinkOutput(cost!, least, answer, allowances)
      : answer
    if (typeof smaller !== 'number') {
      const isCounted = counter.isCounted || !couldBeShorter
      if (smaller.outcome === 'over-budget') throw budgetError(smaller, isCounted, allowances, { plan, catalog })
      throw limitError(smaller, allowances, { ...cost!, wantedTokens: least })
    }
    shrunk = true
    bound = { ...bound, wantedTokens: smaller }
  }
  throw new ServiceError('state_unavailable')
}

/** Counts a prompt better than by its bytes: in each way once. */
class PromptCounter {
  /** Whether somebody counted the prompt. */
  isCounted = false
  readonly #request: Pick<CallRequest, 'count'>
  #waysTried = 0

  constructor(request: Pick<CallRequest, 'count'>) {
    this.#request = request
  }

  /**
   * @param answer the refusal; null if the request exceeds what a minute allows
   * @returns the bound with a shorter prompt; null if no way is left that gives one
   */
  async shorten(bound: TokenBound, answer: AdmitAnswer | null): Promise<TokenBound | null> {
    while (this.#waysTried < countingWays.length) {
      const way = countingWays[this.#waysTried]!
      // A provider is not asked if waiting helps.
      if (way === 'provider' && answer?.outcome === 'over-limit') return null
      this.#waysTried++
      const tokens = await this.#request.count(way)
      this.isCounted ||= tokens !== null
      if (tokens !== null && tokens < bound.promptTokens) return withPrompt(bound, tokens)
    }
    return null
  }
}

const isCharged = ({ promptPicos, outputPicos }: CostBound): boolean => promptPicos > 0 || outputPicos > 0

/** The bound of the same request with the shortest prompt. A long prompt can make the output dearer. */
const withoutPrompt = (bound: TokenBound, model: Model, prices: ModelPrices, time: CallTime): CostBound =>
  costBound({ ...bound, promptTokens: 0, ratedTokens: 0, others: {} }, model, prices, time)

/** The same request, whose prompt was counted. */
const withPrompt = (bound: TokenBound, promptTokens: number): TokenBound => ({
  ...bound,
  promptTokens,
  ratedTokens: Math.min(promptTokens, bound.ratedTokens ?? promptTokens)
})

/** Whether a shorter prompt could be admitted. @param answer null if the request exceeds what a minute allows */
function dependsOnPrompt(
  answer: AdmitAnswer | null,
  { outputPicos, minTokens }: CostBound,
  allowances: AccountAllowances
): boolean {
  if (answer === null) return true
  if (answer.outcome !== 'over-budget') return isOverTokens(answer, allowances)
  return (outputPicos * minTokens) / 1000 <= answer.limit - answer.settled - answer.reserved
}

/** Whether the tokens of the account's rate, or of the key's minute, do not suffice. */
function isOverTokens(answer: AdmitAnswer, allowances: AccountAllowances): answer is LimitRefusal {
  return answer.outcome === 'over-limit' && limitOf(answer, allowances) === 'tokens'
}

function admittedAs(
  answer: AdmitAnswer & { outcome: 'admitted' },
  cost: CostBound,
  { granted, promptTokens }: TokenBound,
  { tokens: tokensPerMinute, mostTokens }: AccountAllowances,
  admittedAt: number
): Omit<Admitted, 'plan' | 'prices' | 'priceGroup' | 'budgets'> {
  const outputTokens = cost.outputTokens * answer.grantedTokens
  return {
    hold: answer,
    heldTokens: cost.promptTokens + outputTokens,
    promptTokens,
    outputTokens,
    rates: answer,
    tokensPerMinute,
    mostTokens,
    toolCalls: granted ?? null,
    admittedAt
  }
}

function prepare(
  key: KnownKey,
  catalog: CatalogView,
  name: string,
  model: Model,
  endsAt: number | null,
  holdMs: number
): KeyAdmission {
  const { admission, pointer } = key
  if (admission?.catalog === catalog) {
    if (admission.byModel === null) return admission
    const known = admission.byModel.get(name)
    if (known !== undefined) return known
  }
  const [keyRecord, accountRecord] = [key.keyRecord!, key.accountRecord!]
  const plan = planOf(accountRecord.record)
  const priceGroup = catalog.priceGroup(accountRecord.record.override?.limits?.priceGroup, plan)
  const call = { key: pointer.key, model: name, isFreeModel: isFree(chargedPrices(model, priceGroup)) }
  const allowances = allowancesOf(keyRecord.record, accountRecord.record, catalog, call)
  const judged = { key: keyRecord.version, account: accountRecord.version }
  const allEndsAt = earlier(endsAt, overrideEndsAt(accountRecord.record))
  const prepared = prepareAdmission(key.prepared, pointer.key, judged, allEndsAt, allowances, holdMs)
  const isForModels =
    countsOfFreeModels(catalog.plan(plan)).length > 0 ||
    budgetsOf(keyRecord.record, accountRecord.record).some(({ models }) => models !== undefined)
  const before = admission?.catalog === catalog ? admission.byModel : null
  const byModel = isForModels ? (before ?? new Map<string, KeyAdmission>()) : null
  key.admission = { catalog, plan, priceGroup, allowances, prepared, byModel }
  byModel?.set(name, key.admission)
  return key.admission
}
