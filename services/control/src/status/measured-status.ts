import type { ModelStatus, ProviderStatus, ServiceHistory, ServiceState } from '@tollgate/contracts/http/status.ts'
import type { ServedRows } from '@tollgate/state/served/served.ts'
import {
  addRow,
  firstTokenBounds,
  noneServed,
  perTokenBounds,
  type ServedRow
} from '@tollgate/state/served/served-row.ts'
import { quantile } from './quantile.ts'
import { type CountsByModel, dateOf, describeDays, firstMeasured, shownDays } from './served-days.ts'
import { type Counts, minPerDay, minPerHour, requestsOf, stateOf, sumCounts, uptimeOf } from './success-rule.ts'

/** Hours that are shown, the running one included. */
export const shownHours = 24

/** What is measured of the offered models. It has shares and speeds only: no number tells how many requests there were. */
export interface MeasuredStatus {
  /** Of all models together, without announcements. `down` without a gateway. */
  readonly state: ServiceState
  readonly gateway: ServiceState
  readonly history: ServiceHistory
  readonly providers: readonly ProviderStatus[]
  readonly models: readonly ModelStatus[]
}

export interface OfferedModel {
  readonly id: string
  /** The owner of the model in the catalog. */
  readonly provider: string
}

/** What control has read to write the status. */
export interface Measured {
  /** The rows of the last {@link shownHours} hours, the oldest first. */
  readonly hours: readonly ServedRows[]
  /** The counts of the last {@link shownDays} days, the oldest first. */
  readonly days: readonly CountsByModel[]
  /** The number of the present day. */
  readonly today: number
  readonly offered: readonly OfferedModel[]
  /** Whether the days of the service count a model. Those that were on sale count, too: what failed stays. */
  readonly isCounted: (model: string) => boolean
  /** Whether a gateway reports that it runs; null if nobody knows. */
  readonly hasGateway: boolean | null
}

/** Says how fast and reliable the service, its providers and models were. */
export function measuredStatus({ hours, days, today, offered, isCounted, hasGateway }: Measured): MeasuredStatus {
  const rowsOf = ({ id }: OfferedModel): ServedRow[] => hours.map((rows) => rows.get(id) ?? noneServed())
  const models = offered.map((model) => modelStatus(model, rowsOf(model)))
  const byProvider = Map.groupBy(offered, ({ provider }) => provider)
  const providers = [...byProvider].map(([name, some]) => {
    const ids = new Set(some.map(({ id }) => id))
    return providerStatus(
      name,
      sumEach(some.map(rowsOf)),
      countEach(days, (model) => ids.has(model))
    )
  })
  const history = historyOf(countEach(days, isCounted), today)
  const gateway = gatewayState(hasGateway, history)
  const shown = offered.map(rowsOf).filter((rows) => isShown(sum(rows)))
  const together = shown.length === 0 ? 'unknown' : presentState(sumEach(shown))
  const state = gateway === 'down' ? 'down' : joinStates(together, models)
  return { state, gateway, history, providers, models }
}

function historyOf(days: readonly Counts[], today: number): ServiceHistory {
  const first = firstMeasured(days)
  const firstDay = today - shownDays + 1
  return {
    first_day: dateOf(firstDay),
    measured_since: first < 0 ? null : dateOf(firstDay + first),
    ...describeDays(days)
  }
}

/** A new installation may have no gateway yet: nothing has failed there. */
function gatewayState(hasGateway: boolean | null, { measured_since: since }: ServiceHistory): ServiceState {
  if (hasGateway === true) return 'good'
  return hasGateway === null || since === null ? 'unknown' : 'down'
}

function modelStatus({ id, provider }: OfferedModel, rows: readonly ServedRow[]): ModelStatus {
  const day = sum(rows)
  return {
    id,
    provider,
    ...availability(rows, day),
    first_token_ms: firstTokenOf(day),
    tokens_per_second: tokensPerSecondOf(day),
    hours: isShown(day) ? rows.map(hourState) : rows.map(() => 'unknown')
  }
}

const providerStatus = (name: string, rows: readonly ServedRow[], days: readonly Counts[]): ProviderStatus => ({
  name,
  ...availability(rows, sum(rows)),
  ...describeDays(days)
})

function availability(rows: readonly ServedRow[], day: ServedRow): Pick<ProviderStatus, 'state' | 'uptime'> {
  return { state: isShown(day) ? presentState(rows) : 'unknown', uptime: uptimeOf(day) }
}

/** That of the running hour; while it has few requests, that of the hour before. */
function presentState(rows: readonly ServedRow[]): ServiceState {
  const [before = 'unknown', running = 'unknown'] = rows.slice(-2).map(hourState)
  return running === 'unknown' ? before : running
}

const hourState = (row: ServedRow): ServiceState => stateOf(row, minPerHour)

/**
 * `down` only if every known model is. A model that is down lowers the service; one that is degraded only if its requests
 * are many: with dozens of models, one of them nearly always had two failures in an hour.
 *
 * @param together the state of all requests
 */
function joinStates(together: ServiceState, models: readonly ModelStatus[]): ServiceState {
  const known = models.map(({ state }) => state).filter((state) => state !== 'unknown')
  if (known.length === 0) return 'unknown'
  if (known.every((state) => state === 'down')) return 'down'
  return known.includes('down') || together !== 'good' ? 'degraded' : 'good'
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

const isShown = (day: ServedRow): boolean => requestsOf(day) >= minPerDay
const count = (buckets: Float64Array): number => buckets.reduce((sum, one) => sum + one, 0)

function sum(rows: readonly ServedRow[]): ServedRow {
  const total = noneServed()
  for (const row of rows) addRow(total, row)
  return total
}

/** Adds up several models, hour by hour. */
const sumEach = (models: ReadonlyArray<readonly ServedRow[]>): ServedRow[] =>
  models[0]!.map((_, hour) => sum(models.map((rows) => rows[hour]!)))

/** Adds up some models, day by day. */
const countEach = (days: readonly CountsByModel[], isCounted: (model: string) => boolean): Counts[] =>
  days.map((day) => sumCounts([...day].flatMap(([model, counts]) => (isCounted(model) ? [counts] : []))))
