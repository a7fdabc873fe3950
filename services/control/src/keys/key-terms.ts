import { isDeepStrictEqual } from 'node:util'
import type { Catalog } from '@tollgate/contracts/catalog/catalog.ts'
import { ServiceError } from '@tollgate/contracts/errors/service-error.ts'
import type { ChangeKeyRequest } from '@tollgate/contracts/http/keys.ts'
import { isAddressRange } from '@tollgate/contracts/keys/ip-addresses.ts'
import type { RedisLink } from '@tollgate/state/link/redis-link.ts'
import { liveUpstreams } from '@tollgate/state/processes/heartbeat.ts'
import { effectivePlan, nanosOfUsd, toUsd } from '../catalog/plans.ts'
import type { keys } from '../database/schema/keys.ts'
import { lastInstant } from '../http/query.ts'
import { inOrder } from '../notices/decide-threshold.ts'

/** The stored limits, thresholds, expiry, label and metadata of a key, and whether it is paused. */
export interface KeyTerms {
  paused?: boolean
  label?: string
  expiresAt?: Date | null
  models?: string[] | null
  addresses?: string[] | null
  monthlyBudgetNanos?: number | null
  thresholds?: number[] | null
  requestsPerMinute?: number | null
  metadata?: Record<string, string>
}

/**
 * Reads the terms of a request. Members that the request lacks are absent from the result.
 *
 * @param plan the account's; a key can use a subset of its models
 * @throws ServiceError `invalid_request` naming the field
 */
export function readKeyTerms(change: ChangeKeyRequest, catalog: Catalog, plan: string, now: Date): KeyTerms {
  const { paused, label, expires_at, models, monthly_budget_usd, thresholds, requests_per_minute, metadata } = change
  const { addresses } = change
  return {
    ...(paused !== undefined && { paused }),
    ...(label !== undefined && { label }),
    ...(expires_at !== undefined && { expiresAt: expires_at === null ? null : readExpiry(expires_at, now) }),
    ...(models !== undefined && { models: models === null ? null : readModels(models, catalog, plan) }),
    ...(addresses !== undefined && { addresses: addresses === null ? null : readAddresses(addresses) }),
    ...(monthly_budget_usd !== undefined && {
      monthlyBudgetNanos: monthly_budget_usd === null ? null : nanosOfUsd(monthly_budget_usd)
    }),
    ...(thresholds !== undefined && { thresholds: inOrder(thresholds) }),
    ...(requests_per_minute !== undefined && { requestsPerMinute: requests_per_minute }),
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

function readModels(models: string[], catalog: Catalog, plan: string): string[] {
  const included = new Set(catalog.plans[effectivePlan(catalog, plan)]!.models)
  const other = models.find((model) => !included.has(model))
  if (other === undefined) return models
  const [meant] = Object.entries(catalog.models).find(([, { aliases = [] }]) => aliases.includes(other)) ?? []
  if (meant !== undefined && included.has(meant)) {
    throw refused(`models: ${other} is an alias. Name its model, ${meant}`)
  }
  throw refused(`models: ${other} is not in the plan`)
}

function readAddresses(addresses: string[]): string[] {
  const wrong = addresses.find((entry) => !isAddressRange(entry))
  if (wrong === undefined) return addresses
  throw refused(`addresses: ${wrong} is not an IP address or a range such as 203.0.113.0/24`)
}

/**
 * Refuses to limit a key to addresses while a running gateway would accept it from everywhere.
 *
 * @throws ServiceError `invalid_request`
 */
export async function assertGatewaysCheckAddresses(
  redis: RedisLink,
  { addresses = null }: Pick<ChangeKeyRequest, 'addresses'>
): Promise<void> {
  if (addresses === null) return
  const old = (await liveUpstreams(redis))?.withoutAddresses ?? 0
  if (old > 0)
    throw refused(
      'addresses: a gateway of an older release is running, which does not check them. Ask the operator to update all gateways'
    )
}

const refused = (message: string) => new ServiceError('invalid_request', { message })

/** Terms that gateways do not use, so Redis does not have them. */
const forPeople: ReadonlySet<string> = new Set<keyof ChangeKeyRequest>(['label', 'metadata', 'thresholds'])

/** Whether a change has only terms that gateways do not use. False for an empty change: it asks what is in force. */
export function isForPeopleOnly(change: ChangeKeyRequest): boolean {
  const names = Object.keys(change)
  return names.length > 0 && names.every((name) => forPeople.has(name))
}

/** Whether a key already has all requested terms. */
export function hasTerms(key: typeof keys.$inferSelect, change: ChangeKeyRequest): boolean {
  const { expires_at: expiry, ...rest } = change
  const others = rest.thresholds === undefined ? rest : { ...rest, thresholds: inOrder(rest.thresholds) }
  const present: Required<typeof others> = {
    paused: key.paused,
    label: key.label,
    models: key.models,
    addresses: key.addresses,
    monthly_budget_usd: key.monthlyBudgetNanos === null ? null : toUsd(key.monthlyBudgetNanos),
    thresholds: key.thresholds,
    requests_per_minute: key.requestsPerMinute,
    metadata: key.metadata
  }
  // Different texts can name the same instant.
  const isSameExpiry = expiry === undefined || (expiry === null ? null : Date.parse(expiry)) === timeOf(key.expiresAt)
  return (
    isSameExpiry &&
    Object.entries(others).every(([name, value]) => isDeepStrictEqual(value, present[name as keyof typeof others]))
  )
}

const timeOf = (at: Date | null): number | null => at?.getTime() ?? null
