import { type BudgetWindow, budgetWindows, windowNumber } from '@tollgate/contracts/records/budget-windows.ts'

/** The budgets with a window and the limits of counts of an account: a part of its model. */
export interface WindowsModel {
  /** By field: the number of the window, what was settled in it, the corrections, and what corrections added to the
   * reservations of its own holds (of a count: all that is reserved). */
  budgets: Map<string, { window: number; settled: number; corrections: number; otherReserved: number }>
  holds: ReadonlyMap<string, CountedHold>
}

/** What decides where a hold counts. */
interface CountedHold {
  at: number
  nanos: number
  key: string
  model: string
  /** Fields, separated by spaces. */
  budgets: string
}

/** Budgets of these tests: of the account; of one key for a week; of one model for a month; of the account for ever. */
export const budgetFields = ['bd:1', 'bw:2', 'bm:3', 'bl:4'] as const

/** Limits of counts of these tests: of the tokens and the running requests of a key, and of requests to one model. */
export const countsInTests = ['ti:key_1', 'ol:key_2', 'qi:free', 'qd:free'] as const

/** Whether a budget or limit of these tests counts a request. */
export function isCountedBy(field: string, { key, model }: { key: string; model: string }): boolean {
  if (field === 'bw:2') return key === 'key_1'
  if (field === 'bm:3' || field.endsWith(':free')) return model === 'model 0|x'
  return !field.includes('key') || field.endsWith(key)
}

/** Whether it is a budget, and no limit of a count. */
export const isOfMoney = ({ field }: { field: string }): boolean => field.startsWith('b')
/** What a request with so many tokens takes of a limit of a count. */
export const takenOf = (field: string, tokens: number): number => (field.startsWith('t') ? tokens : 1)

export const kindOf = (field: string): BudgetWindow => budgetWindows.find((window) => window[0] === field[1])!
export const numberOf = (field: string, seconds: number): number =>
  field[1] === 'i' ? Math.floor(seconds / 60) : windowNumber(kindOf(field), seconds * 1000)

/** The reserved amount of a budget in a window. */
export function reservedIn(account: WindowsModel, field: string, window: number): number {
  const present = account.budgets.get(field)
  let sum = present?.window === window ? present.otherReserved : 0
  if (!isOfMoney({ field })) return sum
  for (const hold of account.holds.values()) {
    if (hold.budgets.split(' ').includes(field) && numberOf(field, hold.at) === window) sum += hold.nanos
  }
  return sum
}

/** What is reserved in a budget's present window. */
export const reservedInBudget = (account: WindowsModel, field: string): number =>
  reservedIn(account, field, account.budgets.get(field)!.window)

/** Begins the window of a time (s) unless it or a later one has begun, and a missing budget. A count goes with the time. */
export function turnBudget(account: WindowsModel, field: string, at: number): void {
  const window = numberOf(field, at)
  const present = account.budgets.get(field)
  if (present === undefined || present.window < window || (!isOfMoney({ field }) && present.window !== window)) {
    account.budgets.set(field, { window, settled: 0, corrections: 0, otherReserved: 0 })
  }
}

/** Brings a budget to what it should have. @param settled according to the ledger and Redis */
export function correctModel(account: WindowsModel, field: string, settled: number): void {
  const budget = account.budgets.get(field)!
  const reserved = [...account.holds.values()]
    .filter((hold) => isCountedBy(field, hold) && numberOf(field, hold.at) === budget.window)
    .reduce((sum, { nanos }) => sum + nanos, 0)
  const before = reservedIn(account, field, budget.window)
  if (settled === budget.settled && reserved === before) return
  budget.settled = settled
  budget.otherReserved += reserved - before
  budget.corrections++
}

/** Whether a usage row is of a budget's present window. */
export const isInWindow = (account: WindowsModel, field: string, hour: number): boolean =>
  numberOf(field, hour * 3600) === account.budgets.get(field)!.window

/** What a request changes in limits of counts. */
export interface Counts {
  tokens?: number
  requests?: number
  /** Tokens of its hold that are no longer reserved. */
  held?: number
  /** 1 if it no longer runs. */
  closed?: number
}

export function changeCount(account: WindowsModel, field: string, at: number, counts: Counts): void {
  const { tokens = 0, requests = 0, held = 0, closed = 0 } = counts
  const limit = account.budgets.get(field)!
  if (limit.window !== numberOf(field, at)) return
  const more = { t: tokens, q: requests }[field[0]!] ?? 0
  limit.settled = Math.max(0, limit.settled + more)
  limit.otherReserved = Math.max(0, limit.otherReserved - (field[0] === 't' ? held : closed))
}
