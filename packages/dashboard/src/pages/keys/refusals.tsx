import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { Answer } from '../../api/call.ts'
import { countOf } from '../../format/number.ts'
import { BillingLink, useAccount } from '../../layout/owner.tsx'
import { Badge } from '../../ui/badge.tsx'
import { Button, buttonLook } from '../../ui/button.tsx'
import { textLink } from '../../ui/class-names.ts'
import { Moment } from '../../ui/moment.tsx'
import { describeRefusal } from '../../usage/describe-refusal.ts'

export type OpenRefusal = Answer<'getUsageRefusals'>['open'][number]

const reasons: Readonly<Record<OpenRefusal['reason'], string>> = {
  budget: 'budget',
  rate: 'rate limit',
  model: 'model',
  address: 'IP address',
  paused: 'paused',
  suspended: 'account suspended',
  other: 'not allowed'
}

/** Says for which reasons a key refuses requests; nothing for none. A badge says elsewhere that it is paused. */
export function RefusalBadge({ refusals }: { readonly refusals: ReadonlyArray<Pick<OpenRefusal, 'reason'>> }) {
  const causes = [...new Set(refusals.flatMap(({ reason }) => (reason === 'paused' ? [] : [reasons[reason]])))]
  if (causes.length === 0) return null
  return (
    <Badge tone="danger" mayWrap>
      Refuses requests: {causes.join(', ')}
    </Badge>
  )
}

/** What can be done about a refusal of a key: a change of the key, or of what is for all keys. */
export const isOfKey = ({ code, reason }: Pick<OpenRefusal, 'code' | 'reason'>): boolean =>
  code === 'key_budget_exceeded' || reason === 'model' || reason === 'address'

type Refusing = Pick<Answer<'getKey'>['key'], 'refusals' | 'budgets'>

/** Like {@link isOfKey}. One code is for daily and other budgets of a key, the account and a member. */
const isOfThisKey = (refusal: OpenRefusal, { budgets }: Pick<Refusing, 'budgets'>): boolean =>
  isOfKey(refusal) ||
  (refusal.code === 'budget_exceeded' &&
    budgets.some(({ use }) => use !== null && Number(use.remaining_usd) < Number(refusal.needed_usd)))

function changeOf({ reason }: Pick<OpenRefusal, 'reason'>): string {
  if (reason === 'model') return 'Change its models'
  return reason === 'address' ? 'Change its addresses' : 'Raise its budget'
}

interface RefusalProps {
  readonly refusal: OpenRefusal
  /** The name of the key, as the beginning of the sentence. */
  readonly subject: ReactNode
  /** What helps. */
  readonly action: ReactNode
}

/** One reason why a key refuses requests, the smallest refused request, what is left, and what helps. */
export function Refusal({ refusal, subject, action }: RefusalProps) {
  const { key_id: key, code, requests, since, last_at: last } = refusal
  return (
    <div className="flex flex-wrap items-start justify-between gap-x-6 gap-y-3 text-sm">
      <div className="min-w-0 flex-1 basis-72 space-y-1">
        <p>
          {subject} refuses requests: {describeRefusal(refusal)}
        </p>
        <p className="text-ink-soft">
          {countOf(requests, 'request')} refused since <Moment at={since} />, the last one <Moment at={last} />.{' '}
          <Link to="/dashboard/requests" search={{ key, code }} className={textLink}>
            See these requests
          </Link>
        </p>
      </div>
      {action}
    </div>
  )
}

/** The open refusals of a key on its own page. @param onEdit undefined if the reader may not change the key */
export function KeyRefusals({
  shown,
  onEdit
}: {
  readonly shown: Refusing
  readonly onEdit: (() => void) | undefined
}) {
  return (
    <ul aria-label="Why requests are refused" className="space-y-4">
      {shown.refusals.map((refusal) => (
        <li key={refusal.code}>
          <Refusal
            refusal={refusal}
            subject="This key"
            action={
              isOfThisKey(refusal, shown) ? (
                onEdit !== undefined && (
                  <Button size="small" tone="primary" onClick={onEdit}>
                    {changeOf(refusal)}
                  </Button>
                )
              ) : (
                <PlansLink refusal={refusal} />
              )
            }
          />
        </li>
      ))}
    </ul>
  )
}

/** Leads owners to budgets and plans. Nothing where neither helps. */
export function PlansLink({ refusal: { code, reason } }: { readonly refusal: OpenRefusal }) {
  const { role } = useAccount()
  if (reason !== 'budget' && reason !== 'rate') return null
  const text = code === 'monthly_budget_exceeded' || code === 'budget_exceeded' ? 'Raise the budget' : 'See plans'
  if (role !== 'owner') return <BillingLink text={text} />
  return (
    <Link to="/dashboard/billing" className={buttonLook({ tone: 'primary', size: 'small' })}>
      {text}
    </Link>
  )
}
