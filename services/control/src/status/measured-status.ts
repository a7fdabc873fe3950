import type { ModelStatus, ProviderStatus, ServiceState } from '@tollgate/contracts/http/status.ts'
import type { ServedRows } from '@tollgate/state/served/served.ts'
import {
  addRow,
  firstTokenBounds,
  noneServed,
  perTokenBounds,
  type ServedRow
} from '@tollgate/state/served/served-row.ts'
import { quantile } from './quantile.ts'

/** Hours that are shown, the running one included. */
export const shownHours = 24
/** With fewer requests in a day, or fewer streams, nothing is shown: a share of them would say little. */
const minPerDay = 20
/** With fewer requests, an hour says nothing. */
const minPerHour = 5
/** From this share of successes on, an hour is good. */
const goodShare = 0.95
/** Below this share, it is down. */
const downShare = 0.5

/** What is measured of the offered models. It has shares and speeds only: no number tells how many requests there were. */
export interface MeasuredStatus {
  /** Of all models together, without announcements. */
  readonly state: ServiceState
  readonly providers: readonly ProviderStatus[]
  readonly models: readonly ModelStatus[]
}

export interface OfferedModel {
  readonly id: string
  /** The owner of the model in the catalog. */
  readonly provider: string
}

/**
 * Says how fast and reliable models and their providers were.
 *
 * @param hours the rows of the last {@link shownHours} hours, the oldest first
 */
export function measuredStatus(hours: readonly ServedRows[], offered: readonly OfferedModel[]): MeasuredStatus {
  const rowsOf = ({ id }: OfferedModel): ServedRow[] => hours.map((rows) => rows.get(id) ?? noneServed())
  const models = offered.map((model) => modelStatus(model, rowsOf(model)))
  const byProvider = Map.groupBy(offered, ({ provider }) => provider)
  const providers = [...byProvider].map(([name, some]) => providerStatus(name, sumEach(some.map(rowsOf))))
  return { state: joinStates(models.map(({ state }) => state)), providers, models }
}

function modelStatus({ id, provider }: OfferedModel, rows: readonly ServedRow[]): ModelStatus {
  const day = sum(rows)
  return {
    id,
    provider,
    ...availability(rows, day),
    first_token_ms: firstTokenOf(day),
    tokens_per_second: tokensPerSecondOf(day),
    hours: isShown(day) ? rows.map(stateOf) : rows.map(() => 'unknown')
  }
}

const providerStatus = (name: string, rows: readonly ServedRow[]): ProviderStatus => ({
  name,
  ...availability(rows, sum(rows))
})

function availability(rows: readonly ServedRow[], day: ServedRow): Pick<ProviderStatus, 'state' | 'uptime'> {
  if (!isShown(day)) return { state: 'unknown', uptime: null }
  return { state: presentState(rows), uptime: roundDown(day.successes / requestsOf(day)) }
}

/** That of the running hour; while it has few requests, that of the hour before. */
function presentState(rows: readonly ServedRow[]): ServiceState {
  const [before = 'unknown', running = 'unknown'] = rows.slice(-2).map(stateOf)
  return running === 'unknown' ? before : running
}

function stateOf(row: ServedRow): ServiceState {
  const requests = requestsOf(row)
  if (requests < minPerHour) return 'unknown'
  const share = row.successes / requests
  if (share >= goodShare) return 'good'
  return share < downShare ? 'down' : 'degraded'
}

/** `down` only if all that is known is down. */
function joinStates(states: readonly ServiceState[]): ServiceState {
  const known = states.filter((state) => state !== 'unknown')
  if (known.length === 0) return 'unknown'
  if (known.every((state) => state === 'down')) return 'down'
  return known.every((state) => state === 'good') ? 'good' : 'degraded'
}

function firstTokenOf({ firstToken }: ServedRow): ModelStatus['first_token_ms'] {
  if (count(firstToken) < minPerDay) return null
  const msOf = (share: number): number => Math.round(quantile(firstToken, firstTokenBounds, share)! * 1000)
  return { p50: msOf(0.5), p95: msOf(0.95) }
}

function tokensPerSecondOf({ perToken }: ServedRow): ModelStatus['tokens_per_second'] {
  if (count(perToken) < minPerDay) return null
  // The first bucket begins at 0 seconds. Its end is the highest speed that was measured.
  const seconds = Math.max(quantile(perToken, perTokenBounds, 0.5)!, perTokenBounds[0]!)
  return { p50: Math.round(10 / seconds) / 10 }
}

const requestsOf = ({ successes, failures }: ServedRow): number => successes + failures
const isShown = (day: ServedRow): boolean => requestsOf(day) >= minPerDay
const count = (buckets: Float64Array): number => buckets.reduce((sum, one) => sum + one, 0)

/** To four decimals, and never up: 1 means that no request failed. */
const roundDown = (share: number): number => Math.floor(share * 10_000) / 10_000

function sum(rows: readonly ServedRow[]): ServedRow {
  const total = noneServed()
  for (const row of rows) addRow(total, row)
  return total
}

/** Adds up several models, hour by hour. */
const sumEach = (models: ReadonlyArray<readonly ServedRow[]>): ServedRow[] =>
  models[0]!.map((_, hour) => sum(models.map((rows) => rows[hour]!)))
