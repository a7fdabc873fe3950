import type { Input } from '../../api/call.ts'
import type { Key, KeySettings } from './read-key-form.ts'

/**
 * The fields that the form changed. Unchanged fields are not sent, because the API would refuse some of them: an expiry in
 * the past, or a model that the plan has lost.
 */
export function changedSettings(present: Key, typed: KeySettings): Input<'changeKey'>['body'] {
  const isSame: Record<keyof KeySettings, boolean> = {
    // The form trims labels, so spaces at the ends are not a change.
    label: typed.label === present.label.trim(),
    expires_at: typed.expires_at === present.expires_at,
    monthly_budget_usd: typed.monthly_budget_usd === present.monthly_budget_usd,
    requests_per_minute: typed.requests_per_minute === present.requests_per_minute,
    thresholds: inOrder(typed.thresholds) === inOrder(present.thresholds),
    models: inOrder(typed.models) === inOrder(present.models),
    metadata: inOrder(Object.entries(typed.metadata)) === inOrder(Object.entries(present.metadata))
  }
  return Object.fromEntries(
    Object.entries(isSame)
      .filter(([, same]) => !same)
      .map(([name]) => [name, typed[name as keyof KeySettings]])
  )
}

/** A list as text that does not depend on its order. */
const inOrder = (list: readonly unknown[] | null): string =>
  JSON.stringify(list?.map((item) => JSON.stringify(item)).sort() ?? null)
