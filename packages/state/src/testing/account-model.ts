import { windowBegins } from '@tollgate/contracts/records/budget-windows.ts'
import type { Allowances, CostBound } from '../admission/admit.ts'
import { countsOf, type SettledRequest } from '../settlement/settlement-sums.ts'
import type { SeedOutcome } from '../spend/spend.ts'
import {
  type Counts,
  changeCount,
  isOfMoney,
  kindOf,
  numberOf,
  reservedIn,
  takenOf,
  turnBudget,
  type WindowsModel
} from './windows-model.ts'

/**
 * A model of what the scripts that admit and settle do to one account, without Redis: the reference for their property
 * tests. It computes with whole numbers of any size, and adds up the open holds for the reserved amount. So it cannot
 * have the rounding errors that the scripts may have.
 */
export interface AccountModel extends WindowsModel {
  /** The month that `settled` counts, yyyymm; null while spend is not seeded. */
  month: number | null
  /** Nanodollars by key. The account's own amount is under ''. */
  settled: Map<string, number>
  /** Arrival times (µs) of the rates: `q` (requests) and `t` (tokens) of the account, `q:<key>` of a key. */
  arrivals: Map<string, number>
  /** No hold ends before this time, ms. */
  firstDeadline: number | null
  holds: Map<string, ModelHold>
  /** How holds ended early, by request. */
  ended: Map<string, 'cancelled' | ReapedCharge>
  /** When the last entry of `ended` expires, ms; 0 without entries. */
  endedUntil: number
  /** By `<hour>:<tag of the run>[-<upstream>][~<hour>]|<key>|<model>`. */
  usage: Map<string, ModelUsage>
}

export interface ModelHold {
  deadline: number
  at: number
  granted: number
  nanos: number
  promptTokens: number
  tokens: number
  tokensPerMinute: number
  tag: string
  key: string
  model: string
  /** Fields, separated by spaces. */
  budgets: string
}

export interface ReapedCharge {
  nanos: number
  promptTokens: number
  completionTokens: number
  at: number
  of: string
  budgets: string
}

export interface ModelUsage {
  born: number
  revision: number
  finalIn: number
  /** By name. */
  counters: Map<string, number>
}

export interface ModelRequest {
  id: string
  key: string
  model: string
  bound: CostBound
  allowances: Allowances
  holdMs: number
  reaped: boolean
}

/**
 * The time and the server of a script: the tag of its run, its open month (yyyymm; null without one), and the runs
 * whose usage the ledger has and this server lacks (null until control has verified the server).
 */
export interface Moment {
  micros: number
  tag: string
  month: number | null
  lost: ReadonlySet<string> | null
}

export type ModelAnswer =
  | { outcome: 'unverified' | 'cancelled' | 'overdue' }
  | {
      outcome: 'over-budget'
      scope: string
      budget: number | null
      limit: number
      settled: number
      reserved: number
      needed: number
    }
  | { outcome: 'over-limit'; limit: string; window?: number; waitMs: number }
  | { outcome: 'admitted'; grantedTokens: number; at: number; nanos: number; budgetLeftNanos: number }

export const emptyAccount = (): AccountModel => ({
  month: null,
  settled: new Map(),
  budgets: new Map(),
  arrivals: new Map(),
  firstDeadline: null,
  holds: new Map(),
  ended: new Map(),
  endedUntil: 0,
  usage: new Map()
})

const secondsOf = ({ micros }: Moment): number => Math.floor(micros / 1e6)

/** @param seconds since the epoch @returns yyyymm (UTC) */
export const monthOf = (seconds: number): number =>
  Number(new Date(seconds * 1000).toISOString().slice(0, 7).replace('-', ''))

/** The second of a month that is nearest to a time. */
const within = (month: number, seconds: number): number => {
  const start = (following: number) => Date.UTC(Math.floor(month / 100), (month % 100) - 1 + following) / 1000
  return Math.max(start(0), Math.min(seconds, start(1) - 1))
}

/** The reserved amount of the account, or of one key, in the month of its spend. */
export function reservedOf(account: AccountModel, key?: string): number {
  let sum = 0
  for (const hold of account.holds.values()) {
    if (monthOf(hold.at) === account.month && (key === undefined || key === hold.key)) sum += hold.nanos
  }
  return sum
}

/** The cost of a request with this many granted tokens, nanodollars. */
export function nanosOf({ promptPicos, outputPicos }: CostBound, tokens: number): number {
  return Number((BigInt(promptPicos) + BigInt(outputPicos) * BigInt(tokens) + 999n) / 1000n)
}

function maxTokens(bound: CostBound, room: number): number {
  if (bound.outputPicos === 0 || nanosOf(bound, bound.wantedTokens) <= room) return bound.wantedTokens
  return Number((BigInt(room) * 1000n - BigInt(bound.promptPicos)) / BigInt(bound.outputPicos))
}

/** Begins a month unless it has begun. */
function turnTo(account: AccountModel, month: number): void {
  if (account.month === month) return
  account.month = month
  account.settled.clear()
}

export function admitModel(account: AccountModel, request: ModelRequest, now: Moment): ModelAnswer {
  const { id, key, bound, allowances } = request
  const nowMs = Math.floor(now.micros / 1000)
  if (account.month === null || now.month === null) return { outcome: 'unverified' }
  if (account.firstDeadline !== null && account.firstDeadline <= nowMs && !request.reaped) return { outcome: 'overdue' }
  if (cutRates(account, key, allowances, now)) {
    turnTo(account, Math.max(account.month, now.month))
    // A cut is written, with all that the script has moved to the present windows.
    const cutAt = countedIn(account, account.month, allowances, now)
    for (const { field } of allowances.windows)
      turnBudget(account, field, isOfMoney({ field }) ? cutAt : secondsOf(now))
  }
  // Entries are kept for a day: no command is later.
  if (account.ended.has(id) && account.endedUntil > nowMs) return { outcome: 'cancelled' }
  const isNewMonth = now.month > account.month
  const month = isNewMonth ? now.month : account.month
  const inMonth = (amount: number) => (isNewMonth ? 0 : amount)
  const keySettled = inMonth(account.settled.get(key) ?? 0)
  const { adjusted } = allowances
  const settled = inMonth(account.settled.get('') ?? 0) + (adjusted?.month === month ? adjusted.nanos : 0)
  const budgets = [
    { scope: 'request', limit: allowances.requestNanos, settled: 0, reserved: 0 },
    {
      scope: 'key',
      limit: allowances.keyBudgetNanos,
      settled: keySettled,
      reserved: inMonth(reservedOf(account, key))
    },
    { scope: 'account', limit: allowances.accountBudgetNanos, settled, reserved: inMonth(reservedOf(account)) }
  ]
  const at = countedIn(account, month, allowances, now)
  const windows = allowances.windows.filter(isOfMoney).map(({ field, limit }) => {
    const present = account.budgets.get(field)
    const window = numberOf(field, at)
    const settled = present?.window === window ? present.settled : 0
    return { scope: 'window', limit: limit, settled, reserved: reservedIn(account, field, window) }
  })
  const all: Array<Omit<(typeof budgets)[number], 'limit'> & { limit: number | null }> = [...budgets, ...windows]
  const budgetLeftNanos = Math.min(
    ...all.slice(1).map(({ limit, settled, reserved }) => (limit ?? Infinity) - settled - reserved)
  )
  const hold = account.holds.get(id)
  if (hold !== undefined) {
    return { outcome: 'admitted', grantedTokens: hold.granted, at: hold.at, nanos: hold.nanos, budgetLeftNanos }
  }
  const needed = nanosOf(bound, bound.minTokens)
  let granted = bound.wantedTokens
  for (const [index, { scope, limit, settled, reserved }] of all.entries()) {
    if (limit === null || nanosOf(bound, granted) === 0) continue
    const room = limit - settled - reserved
    const budget = index < budgets.length ? null : index - budgets.length
    if (needed > room) return { outcome: 'over-budget', scope, budget, limit, settled, reserved, needed }
    granted = Math.min(granted, maxTokens(bound, room))
  }

  if (account.holds.size >= allowances.concurrentRequests) {
    return { outcome: 'over-limit', limit: 'concurrent', waitMs: 1000 }
  }
  const { requests, keyRequests, tokens } = ratesOf(account, key, allowances, now)
  const wait = Math.max(requests.wait(1), keyRequests?.wait(1) ?? 0)
  if (wait > 0) return { outcome: 'over-limit', limit: 'requests', waitMs: Math.ceil(wait / 1000) }
  const allTokens = bound.promptTokens + bound.outputTokens * granted
  for (const [index, { field, limit }] of allowances.windows.entries()) {
    if (isOfMoney({ field })) continue
    const window = numberOf(field, secondsOf(now))
    const present = account.budgets.get(field)
    const counted = present?.window === window ? present.settled + present.otherReserved : 0
    if (counted + takenOf(field, allTokens) <= limit) continue
    const endsAt = { i: (window + 1) * 60e6, d: (window + 1) * 86_400e6 }[field[1]!] ?? 0
    const wait = endsAt > now.micros ? endsAt - now.micros : 1e6
    return { outcome: 'over-limit', limit: 'counted', window: index, waitMs: Math.ceil(wait / 1000) }
  }
  const tokenWait = tokens.wait(allTokens)
  if (tokenWait > 0) return { outcome: 'over-limit', limit: 'tokens', waitMs: Math.ceil(tokenWait / 1000) }

  turnTo(account, month)
  requests.take(1)
  keyRequests?.take(1)
  tokens.take(allTokens)
  const deadline = nowMs + request.holdMs
  account.firstDeadline = Math.min(account.firstDeadline ?? deadline, deadline)
  for (const { field } of allowances.windows) turnBudget(account, field, isOfMoney({ field }) ? at : secondsOf(now))
  for (const { field } of allowances.windows) {
    if (!isOfMoney({ field })) account.budgets.get(field)!.otherReserved += takenOf(field, allTokens)
  }
  const nanos = nanosOf(bound, granted)
  account.holds.set(id, {
    deadline,
    at,
    granted,
    nanos,
    promptTokens: bound.promptTokens,
    tokens: allTokens,
    tokensPerMinute: allowances.tokens,
    tag: now.tag,
    key,
    model: request.model,
    budgets: allowances.windows.map(({ field }) => field).join(' ')
  })
  return { outcome: 'admitted', grantedTokens: granted, at, nanos, budgetLeftNanos: budgetLeftNanos - nanos }
}

/**
 * When a request counts, s: in the month of its reservation, whatever the clock says, and in the latest windows that
 * began.
 */
function countedIn(account: AccountModel, month: number, { windows }: Allowances, now: Moment): number {
  let at = within(month, secondsOf(now))
  for (const { field } of windows.filter(isOfMoney)) {
    const window = account.budgets.get(field)?.window ?? 0
    if (window > numberOf(field, at)) at = windowBegins(kindOf(field), window)! / 1000
  }
  return at
}

/** The time at which an admission would count now, without the windows of budgets; s since the epoch. */
export function countedAt(account: AccountModel, now: Moment): number {
  const month = Math.max(account.month ?? 0, now.month ?? 0)
  return month === 0 ? secondsOf(now) : within(month, secondsOf(now))
}

function ratesOf(account: AccountModel, key: string, allowances: Allowances, now: Moment) {
  const { keyRequests, keyRequestBurst, requests, requestBurst, tokens, tokenBurst } = allowances
  return {
    requests: rate(account, 'q', requests, requestBurst, now),
    keyRequests: keyRequests === null ? null : rate(account, `q:${key}`, keyRequests, keyRequestBurst!, now),
    tokens: rate(account, 't', tokens, tokenBurst, now)
  }
}

/** Units a minute, with a burst and a little for rounding. */
function rate(account: AccountModel, field: string, perMinute: number, burst: number, { micros: now }: Moment) {
  const perUnit = 60e6 / perMinute
  const arrival = Math.max(account.arrivals.get(field) ?? 0, now)
  const size = burst * perUnit + Math.min(1000, perUnit / 2)
  return {
    /**
     * µs until so many units are admitted; at most 0 if they are admitted now. More than the burst is admitted when
     * nothing is owed.
     */
    wait: (units: number) =>
      units * perUnit > size && units <= perMinute ? arrival - now : units * perUnit - (now + size - arrival),
    take: (units: number) => account.arrivals.set(field, arrival + units * perUnit),
    /** How many µs are owed beyond the burst, or beyond `max` µs. */
    excess: (max = size): number => Math.max(0, arrival - (now + max)),
    /** How many µs are cut if more than the burst is owed. Then one unit is admitted, or the units of a millisecond. */
    cut: (): number => (arrival > now + size ? arrival - Math.max(now, now + size - Math.max(perUnit, 1000)) : 0),
    drop: (micros: number) => account.arrivals.set(field, Math.max(now, arrival - micros))
  }
}

/** Cuts arrival times that lie too far ahead after the clock was set back. @returns whether one was cut */
function cutRates(account: AccountModel, key: string, allowances: Allowances, now: Moment): boolean {
  const { requests, keyRequests, tokens } = ratesOf(account, key, allowances, now)
  const [excess, keyExcess] = [requests.cut(), keyRequests?.cut() ?? 0]
  // Both lie too far ahead by the same time.
  const tokenExcess = Math.max(excess, tokens.excess(600_000_000))
  if (excess + tokenExcess + keyExcess === 0) return false
  requests.drop(excess)
  tokens.drop(tokenExcess)
  keyRequests?.drop(keyExcess)
  return true
}

/** How many µs to give back: the unused part that time has not given back. Below 0 if more was used than taken. */
const unused = (micros: number, taken: number): number => (micros > 0 ? Math.min(micros, Math.max(0, taken)) : micros)

function giveBackTokens(account: AccountModel, micros: number): void {
  if (account.month === null || micros === 0) return
  account.arrivals.set('t', Math.max(0, (account.arrivals.get('t') ?? 0) - micros))
}

function keepEnded(account: AccountModel, { micros }: Moment): void {
  account.endedUntil = Math.max(account.endedUntil, Math.ceil(micros / 1000) + 86_400_000)
}

export function cancelModel(account: AccountModel, ids: readonly string[], now: Moment): void {
  const changes = openChanges(account, now)
  if (ids.some((id) => !account.holds.has(id))) keepEnded(account, now)
  let refund = 0
  for (const id of ids) {
    const hold = account.holds.get(id)
    const ended = account.ended.get(id)
    if (hold !== undefined) {
      account.holds.delete(id)
      changes.charge(hold.key, hold.at, 0, hold.budgets, { held: hold.tokens, closed: 1 })
      const micros = (hold.tokens * 60e6) / hold.tokensPerMinute
      refund += unused(micros, hold.at * 1e6 + micros - now.micros)
      // Its admission has arrived, so no later one needs to be stopped.
      continue
    }
    if (ended !== undefined && ended !== 'cancelled') {
      const tokens = -ended.promptTokens - ended.completionTokens
      changes.charge(ended.of.split('|')[0]!, ended.at, -ended.nanos, ended.budgets, { tokens, requests: -1 })
      changes.count(ended.at, ended.of, withoutReaped(ended))
    }
    account.ended.set(id, 'cancelled')
  }
  changes.close()
  giveBackTokens(account, refund)
}

/** Takes back what a reaped request counted. */
const withoutReaped = ({ nanos, promptTokens, completionTokens }: ReapedCharge): Record<string, number> => ({
  requests: -1,
  promptTokens: -promptTokens,
  completionTokens: -completionTokens,
  costNanos: -nanos,
  estimatedRequests: -1,
  estimatedNanos: -nanos
})

/**
 * @param tried tags of the runs that earlier attempts may have reached
 * @returns false, without a change, if control has not verified the server yet
 */
export function settleModel(
  account: AccountModel,
  requests: readonly SettledRequest[],
  tried: readonly string[],
  now: Moment
): boolean {
  const isElsewhere = tried.some((tag) => tag !== now.tag)
  if (isElsewhere && now.lost === null) return false
  const isLost = isElsewhere && tried.some((tag) => now.lost!.has(tag))
  const changes = openChanges(account, now)
  let refund = 0
  for (const request of requests) {
    const { id, key, at, costNanos, promptTokens, completionTokens, budgets } = request
    const counters = countsOf(request)
    const used = promptTokens + completionTokens
    const ended = account.ended.get(id)
    let isCounted = !isLost
    if (account.holds.delete(id)) {
      const micros = ((request.heldTokens - promptTokens - completionTokens) * 60e6) / request.tokensPerMinute
      refund += unused(micros, at * 1e6 + request.tokensRestMs * 1e3 - now.micros)
      changes.charge(key, at, costNanos, budgets, { tokens: used, requests: 1, held: request.heldTokens, closed: 1 })
    } else if (ended !== undefined && ended !== 'cancelled') {
      account.ended.delete(id)
      isCounted = true
      const tokens = used - ended.promptTokens - ended.completionTokens
      changes.charge(key, at, costNanos - ended.nanos, budgets, { tokens })
      changes.count(ended.at, ended.of, withoutReaped(ended))
    } else if (tried.length > 0 && !isLost) continue
    else changes.charge(key, at, costNanos, budgets, { tokens: used, requests: 1 })
    if (isCounted) changes.count(at, `${key}|${request.model}`, counters, request.upstream)
  }
  changes.close()
  giveBackTokens(account, refund)
  return true
}

/** @param ids of the overdue holds to end */
export function reapModel(account: AccountModel, ids: readonly string[], now: Moment): void {
  const changes = openChanges(account, now)
  for (const id of ids) {
    const { at, key, model, nanos, promptTokens, tokens, tag, budgets } = account.holds.get(id)!
    account.holds.delete(id)
    if (tag !== now.tag && now.lost!.size > 0) {
      changes.charge(key, at, 0, budgets, { held: tokens, closed: 1 })
      continue
    }
    const of = `${key}|${model}`
    const completionTokens = tokens - promptTokens
    changes.charge(key, at, nanos, budgets, { tokens, requests: 1, held: tokens, closed: 1 })
    changes.count(at, of, {
      requests: 1,
      promptTokens,
      completionTokens,
      costNanos: nanos,
      estimatedRequests: 1,
      estimatedNanos: nanos
    })
    account.ended.set(id, { nanos, promptTokens, completionTokens, at, of, budgets })
    keepEnded(account, now)
  }
  changes.close()
  const deadlines = [...account.holds.values()].map(({ deadline }) => deadline)
  account.firstDeadline = deadlines.length === 0 ? null : Math.min(...deadlines)
}

/** Creates a missing spend in a month, unless that is null. @returns the spend that a seed compares */
export function openModel(account: AccountModel, month: number | null): string {
  if (account.month === null && month !== null) turnTo(account, month)
  return seenOf(account)
}

const seenOf = ({ month, settled }: AccountModel): string => (month === null ? '|' : `${month}|${settled.get('') ?? 0}`)

/**
 * @param month of the ledger's amounts
 * @param seen the spend before the ledger was updated
 */
export function seedModel(
  account: AccountModel,
  month: number,
  settled: ReadonlyMap<string, number>,
  seen: string
): SeedOutcome {
  if (month < (account.month ?? 0)) return 'another month'
  const present = (key: string) => (account.month === month ? (account.settled.get(key) ?? 0) : 0)
  const more = [...settled].filter(([key, nanos]) => nanos > present(key))
  if (more.length > 0 && seen !== seenOf(account)) return 'changed'
  turnTo(account, month)
  for (const [key, nanos] of more) {
    account.settled.set(key, nanos)
  }
  return 'seeded'
}

/** Collects the changes of one script to spend and usage. */
function openChanges(account: AccountModel, now: Moment) {
  const touched = new Set<ModelUsage>()
  return {
    charge(key: string, at: number, nanos: number, budgets: string, counts: Counts): void {
      for (const field of budgets.split(' ')) {
        if (!account.budgets.has(field)) continue
        if (!isOfMoney({ field })) {
          changeCount(account, field, at, counts)
          continue
        }
        turnBudget(account, field, at)
        const budget = account.budgets.get(field)!
        if (budget.window === numberOf(field, at)) budget.settled = Math.max(0, budget.settled + nanos)
      }
      if (account.month === null || account.month > monthOf(at)) return
      turnTo(account, monthOf(at))
      for (const owner of ['', key]) {
        account.settled.set(owner, Math.max(0, (account.settled.get(owner) ?? 0) + nanos))
      }
    },
    count(at: number, of: string, counters: Record<string, number>, upstream = ''): void {
      const nowHour = Math.floor(now.micros / 3600e6)
      const hour = Math.floor(at / 3600)
      const isLate = nowHour >= hour + 2
      const name = `${hour}:${now.tag}${upstream === '' ? '' : `-${upstream}`}${isLate ? `~${nowHour}` : ''}|${of}`
      const finalIn = (isLate ? nowHour : hour) + 2
      const usage: ModelUsage = account.usage.get(name) ?? {
        born: now.micros,
        revision: 0,
        finalIn,
        counters: new Map()
      }
      account.usage.set(name, usage)
      touched.add(usage)
      for (const [counter, amount] of Object.entries(counters)) {
        if (amount !== 0) usage.counters.set(counter, (usage.counters.get(counter) ?? 0) + amount)
      }
    },
    close(): void {
      for (const usage of touched) usage.revision++
    }
  }
}
