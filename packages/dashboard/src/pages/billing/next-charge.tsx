import { useQuery } from '@tanstack/react-query'
import type { Answer } from '../../api/call.ts'
import { read } from '../../api/queries.ts'
import { type NextCharge as Charge, describeNextCharge } from './describe-next-charge.ts'

/** While the payment provider does not answer. */
const askAgainMs = 30_000

/** What the account pays next. The payment provider computes it, so it comes later than the rest of the page, or not at all. */
export function NextCharge({ plan }: { readonly plan: Answer<'getPlan'>['plan'] }) {
  const query = useQuery({
    ...read('getNextCharge'),
    // Nobody has to be asked about a plan that does not renew.
    enabled: plan.renews_at !== null,
    retry: false,
    refetchInterval: ({ state }) => (state.error === null ? false : askAgainMs)
  })
  return (
    <p role="status" className="mt-1 text-sm text-ink-soft">
      {describeNextCharge(chargeOf(), plan)}
    </p>
  )

  function chargeOf(): Charge {
    if (plan.renews_at === null) return null
    if (query.error !== null) return 'unknown'
    return query.data === undefined ? 'loading' : query.data.next_charge
  }
}
