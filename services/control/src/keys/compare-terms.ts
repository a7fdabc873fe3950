import { isDeepStrictEqual } from 'node:util'
import type { ChangeKeyRequest } from '@tollgate/contracts/http/keys.ts'
import { toUsd } from '../accounts/own-cap.ts'
import type { keys } from '../database/schema.ts'

/** Terms that Redis does not have: gateways do not use them. */
const forPeople: ReadonlySet<string> = new Set<keyof ChangeKeyRequest>(['label', 'metadata'])

/** Whether a change touches only terms that gateways do not use. An empty one does not: it asks what is in force. */
export function isForPeopleOnly(asked: ChangeKeyRequest): boolean {
  const names = Object.keys(asked)
  return names.length > 0 && names.every((name) => forPeople.has(name))
}

/** Whether a key already has all the terms that are asked for, so that nothing changes. */
export function hasTerms(key: typeof keys.$inferSelect, asked: ChangeKeyRequest): boolean {
  const { expires_at: expiry, ...others } = asked
  const present: Required<typeof others> = {
    label: key.label,
    models: key.models,
    monthly_budget_usd: key.monthlyBudgetNanos === null ? null : toUsd(key.monthlyBudgetNanos),
    requests_per_minute: key.requestsPerMinute,
    metadata: key.metadata
  }
  // One instant can be written in many ways.
  const isSameExpiry = expiry === undefined || (expiry === null ? null : Date.parse(expiry)) === timeOf(key.expiresAt)
  return (
    isSameExpiry &&
    Object.entries(others).every(([name, value]) => isDeepStrictEqual(value, present[name as keyof typeof others]))
  )
}

const timeOf = (at: Date | null): number | null => at?.getTime() ?? null
