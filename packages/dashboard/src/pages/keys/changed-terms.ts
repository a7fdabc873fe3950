import type { Input } from '../../api/call.ts'
import type { Key, KeyTerms } from './read-key-form.ts'

/**
 * What of a key's terms the form has changed: the rest is not sent, so that what cannot be set any more, such as an expiry
 * that is over or a model that the plan has lost, is in nobody's way.
 */
export function changedTerms(present: Key, typed: KeyTerms): Input<'changeKey'>['body'] {
  const isSame: Record<keyof KeyTerms, boolean> = {
    // Spaces at the ends cannot be seen, and typing leaves them out.
    label: typed.label === present.label.trim(),
    expires_at: typed.expires_at === present.expires_at,
    monthly_budget_usd: typed.monthly_budget_usd === present.monthly_budget_usd,
    requests_per_minute: typed.requests_per_minute === present.requests_per_minute,
    models: inOrder(typed.models) === inOrder(present.models),
    metadata: inOrder(Object.entries(typed.metadata)) === inOrder(Object.entries(present.metadata))
  }
  return Object.fromEntries(
    Object.entries(isSame)
      .filter(([, same]) => !same)
      .map(([name]) => [name, typed[name as keyof KeyTerms]])
  )
}

/** A list as text, whatever its order is. */
const inOrder = (list: readonly unknown[] | null): string =>
  JSON.stringify(list?.map((item) => JSON.stringify(item)).sort() ?? null)
