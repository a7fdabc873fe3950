import { cutText } from '@tollgate/service/text.ts'
import type { keys } from '../database/schema/keys.ts'
import { toStoredKey } from './list-keys.ts'

type Row = typeof keys.$inferSelect
type Value = string | number | boolean | null

/** The audit log keeps no more of a list. */
const maxListLength = 200

/**
 * What changed in a key, for the audit log: the new value of each setting, and the old one as `<name>_before`. Metadata is left
 * out: it may have personal data, which the log would keep for longer than the key.
 */
export function changedValues(before: Row, after: Row): Record<string, Value> {
  const [old, present] = [settingsOf(before), settingsOf(after)]
  const changed = Object.entries(present).filter(([name, value]) => value !== old[name])
  return Object.fromEntries(
    changed.flatMap(([name, value]) => [
      [`${name}_before`, old[name]!],
      [name, value]
    ])
  )
}

function settingsOf(row: Row): Record<string, Value> {
  const { paused, label, expires_at, models, monthly_budget_usd, thresholds, requests_per_minute } = toStoredKey(row)
  const lists = { models: asText(models), thresholds: asText(thresholds) }
  return { paused, label, expires_at, monthly_budget_usd, requests_per_minute, ...lists }
}

function asText(list: ReadonlyArray<string | number> | null): string | null {
  const text = list?.join(', ') ?? null
  return text === null || text.length <= maxListLength ? text : `${cutText(text, { length: maxListLength })}…`
}
