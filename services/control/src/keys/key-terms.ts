import { isDeepStrictEqual } from 'node:util'
import type { Catalog } from '@tollgate/contracts/catalog/catalog.ts'
import { ServiceError } from '@tollgate/contracts/errors/service-error.ts'
import type { KeyBudgetTerms } from '@tollgate/contracts/http/budgets.ts'
import type { ChangeKeyRequest } from '@tollgate/contracts/http/keys.ts'
import { isAddressRange } from '@tollgate/contracts/keys/ip-addresses.ts'
import { readBudgetTerms, toKeyBudgets, type WantedBudget } from '../budgets/stored-budgets.ts'
import { inPlan, nanosOfUsd, toUsd } from '../catalog/plans.ts'
import type { keys } from '../database/schema/keys.ts'
import { lastInstant } from '../http/query.ts'
import { inOrder } from '../notices/decide-threshold.ts'

/** The limits, thresholds, expiry, label and metadata of a key, and whether it is paused. */
export interface KeyTerms {
  paused?: boolean
  label?: string
  expiresAt?: Date | null
  models?: string[] | null
  addresses?: string[] | null
  monthlyBudgetNanos?: number | null
  /** Besides the one of a month for all models. */
  budgets?: readonly WantedBudget[]
  exhaustedModel?: string | null
  thresholds?: number[] | null
  requestsPerMinute?: number | null
  tokensPerMinute?: number | null
  concurrentRequests?: number | null
  metadata?: Record<string, string>
}

/**
 * Reads the terms of a request. Members that the request lacks are absent from the result.
 *
 * @param plan the account's; a key can use a subset of its models
 * @throws ServiceError `invalid_request` naming the field
 */
export function readKeyTerms(change: ChangeKeyRequest, catalog: Catalog, plan: string, now: Date): KeyTerms {
  const { paused, label, expires_at, models, monthly_budget_usd, thresholds, metadata } = change
  if (change.budgets !== undefined && monthly_budget_usd !== undefined)
    throw refused('monthly_budget_usd: leave it out, because budgets has the budget of the month too')
  const budgets = change.budgets === undefined ? null : readBudgetTerms(change.budgets, catalog, plan)
  const { addresses, requests_per_minute, tokens_per_minute, concurrent_requests } = change
  return {
    ...(budgets !== null && { monthlyBudgetNanos: budgets.monthlyNanos, budgets: budgets.others }),
    ...(paused !== undefined && { paused }),
    ...(label !== undefined && { label }),
    ...(expires_at !== undefined && { expiresAt: expires_at === null ? null : readExpiry(expires_at, now) }),
    ...(models !== undefined && { models: models && inPlan('models', models, catalog, plan) }),
    ...(change.on_exhausted !== undefined && {
      exhaustedModel:
        change.on_exhausted && inPlan('on_exhausted.model', [change.on_exhausted.model], catalog, plan)[0]!
    }),
    ...(addresses !== undefined && { addresses: addresses === null ? null : readAddresses(addresses) }),
    ...(monthly_budget_usd !== undefined && {
      monthlyBudgetNanos: monthly_budget_usd === null ? null : nanosOfUsd(monthly_budget_usd)
    }),
    ...(thresholds !== undefined && { thresholds: inOrder(thresholds) }),
    ...(requests_per_minute !== undefined && { requestsPerMinute: requests_per_minute }),
    ...(tokens_per_minute !== undefined && { tokensPerMinute: tokens_per_minute }),
    ...(concurrent_requests !== undefined && { concurrentRequests: concurrent_requests }),
    ...(metadata !== undefined && { metadata })
  }
}

function readExpiry(text: string, now: Date): Date {
  const time = Date.parse(text)
  // The schema accepts leap seconds, JavaScript does not.
  if (Number.isNaN(time)) throw refused('expires_at: must be a date and time')
  // A time zone offset can shift the year past 9999.
  if (time > lastInstant) throw refused('expires_at: must be before the year 10000')
  if (time <= now.getTime()) throw refused('expires_at: must be in the future')
  return new Date(time)
}

function readAddresses(addresses: string[]): string[] {
  const wrong = addresses.find((entry) => !isAddressRange(entry))
  if (wrong === undefined) return addresses
  throw refused(`addresses: ${wrong} is not an IP address or a range such as 203.0.113.0/24`)
}

const refused = (message: string) => new ServiceError('invalid_request', { message })

/** Terms by which gateways judge no request, so a change of them need not wait for the gateways. */
const forPeople: ReadonlySet<string> = new Set<keyof ChangeKeyRequest>(['label', 'metadata', 'thresholds'])

/** Whether a change has only terms by which gateways judge no request. False for an empty change: it asks what is in force. */
export function isForPeopleOnly(change: ChangeKeyRequest): boolean {
  const names = Object.keys(change)
  return names.length > 0 && names.every((name) => forPeople.has(name))
}

/** Whether a key already has all requested terms. */
export function hasTerms(key: typeof keys.$inferSelect, change: ChangeKeyRequest): boolean {
  const { expires_at: expiry, ...rest } = change
  const others = {
    ...rest,
    ...(rest.thresholds !== undefined && { thresholds: inOrder(rest.thresholds) }),
    ...(rest.budgets !== undefined && { budgets: rest.budgets.map(inOneForm) })
  }
  const present: Required<typeof others> = {
    paused: key.paused,
    label: key.label,
    models: key.models,
    addresses: key.addresses,
    monthly_budget_usd: key.monthlyBudgetNanos === null ? null : toUsd(key.monthlyBudgetNanos),
    budgets: toKeyBudgets(key.monthlyBudgetNanos, key.budgets),
    on_exhausted: key.exhaustedModel === null ? null : { model: key.exhaustedModel },
    thresholds: key.thresholds,
    requests_per_minute: key.requestsPerMinute,
    tokens_per_minute: key.tokensPerMinute,
    concurrent_requests: key.concurrentRequests,
    metadata: key.metadata
  }
  // Different texts can name the same instant.
  const isSameExpiry = expiry === undefined || (expiry === null ? null : Date.parse(expiry)) === timeOf(key.expiresAt)
  return (
    isSameExpiry &&
    Object.entries(others).every(([name, value]) => isDeepStrictEqual(value, present[name as keyof typeof others]))
  )
}

const inOneForm = ({ models, ...budget }: KeyBudgetTerms) => ({ ...budget, models: models?.toSorted() ?? null })

const timeOf = (at: Date | null): number | null => at?.getTime() ?? null
