import { isDeepStrictEqual } from 'node:util'
import type { ChangeKeyRequest } from '@tollgate/contracts/http/keys.ts'
import { toUsd } from '../catalog/plans.ts'
import type { keys } from '../database/schema/keys.ts'
import { inOrder } from '../notices/decide-threshold.ts'

/** Terms that gateways do not use, so Redis does not have them. */
const forPeople: ReadonlySet<string> = new Set<keyof ChangeKeyRequest>(['label', 'metadata', 'thresholds'])

/** Whether a change has only terms that gateways do not use. False for an empty change: it asks what is in force. */
export function isForPeopleOnly(asked: ChangeKeyRequest): boolean {
  const names = Object.keys(asked)
  return names.length > 0 && names.every((name) => forPeople.has(name))
}

/** Whether a key already has all requested terms. */
export function hasTerms(key: typeof keys.$inferSelect, asked: ChangeKeyRequest): boolean {
  const { expires_at: expiry, ...rest } = asked
  const others = rest.thresholds === undefined ? rest : { ...rest, thresholds: inOrder(rest.thresholds) }
  const present: Required<typeof others> = {
    paused: key.paused,
    label: key.label,
    models: key.models,
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
