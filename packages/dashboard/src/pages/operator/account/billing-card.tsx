import type { AdminAccount } from '@tollgate/contracts/http/admin/accounts.ts'
import { formatAmount, formatUsd } from '../../../format/money.ts'
import { formatDay } from '../../../format/time.ts'
import { Badge } from '../../../ui/badge.tsx'
import { Card } from '../../../ui/card.tsx'
import { textLink } from '../../../ui/class-names.ts'
import { Facts } from '../../../ui/data-table.tsx'
import { Meter } from '../../../ui/meter.tsx'

/** The subscription at the payment provider, and the newest invoices. */
export function BillingCard({ account }: { readonly account: AdminAccount }) {
  const { subscription, invoices } = account
  return (
    <Card title="Subscription and invoices" isFlush>
      {subscription === null ? (
        <p className="px-5 pb-5 text-sm text-ink-soft">The account never bought anything.</p>
      ) : (
        <>
          <div className="px-5 pb-5">
            <Facts facts={factsOf(subscription)} />
          </div>
          <Invoices invoices={invoices} />
        </>
      )}
    </Card>
  )
}

type Subscription = NonNullable<AdminAccount['subscription']>

function factsOf({ customer_id, id, status, price_id, renews_at, cancel_at }: Subscription) {
  const code = (text: string) => <code className="font-mono text-[0.8125rem] break-all">{text}</code>
  const day = (at: string) => formatDay(new Date(at))
  return [
    ['Status', status ?? 'No subscription'] as const,
    ...(renews_at === null ? [] : [['Renews', day(renews_at)] as const]),
    ...(cancel_at === null ? [] : [['Ends', day(cancel_at)] as const]),
    ['Customer', code(customer_id)] as const,
    ...(id === null ? [] : [['Subscription', code(id)] as const]),
    ...(price_id === null ? [] : [['Price', code(price_id)] as const])
  ]
}

function Invoices({ invoices }: Pick<AdminAccount, 'invoices'>) {
  if (invoices === null || invoices.length === 0) {
    return (
      <p className="border-t border-line px-5 py-4 text-sm text-ink-soft">
        {invoices === null
          ? 'The payment provider is unavailable, so the invoices are not shown. Reload the page in a moment.'
          : 'No invoices yet.'}
      </p>
    )
  }
  return (
    <ul aria-label="Invoices" className="divide-y divide-line border-t border-line">
      {invoices.map(({ id, amount, currency, status, created_at, pdf_url }) => {
        const day = formatDay(new Date(created_at))
        return (
          <li key={id} className="flex flex-wrap items-center gap-x-4 gap-y-1 px-5 py-3 text-sm">
            <time dateTime={created_at} className="min-w-24 flex-1">
              {day}
            </time>
            <span className="tabular-nums">{formatAmount(amount, currency)}</span>
            <Badge tone={status === 'paid' ? 'accent' : 'warning'}>{status}</Badge>
            {pdf_url !== null && (
              <a href={pdf_url} target="_blank" rel="noreferrer" className={textLink}>
                PDF<span className="sr-only"> of {day}, in a new tab</span>
              </a>
            )}
          </li>
        )
      })}
    </ul>
  )
}

/** This month's spend of an account against its budget. */
export function SpendOfAccountCard({ account }: { readonly account: AdminAccount }) {
  const [spent, reserved] = [Number(account.spent_usd), Number(account.reserved_usd)]
  const cap = account.limits.monthly_budget_usd.value
  const description = `${formatUsd(spent)} spent and ${formatUsd(reserved)} reserved`
  return (
    <Card title="Spend this month">
      <p className="flex flex-wrap items-baseline gap-x-2">
        <span className="text-3xl font-semibold tracking-tight tabular-nums">{formatUsd(spent)}</span>
        <span className="text-ink-soft">{cap === null ? 'no monthly budget' : `of ${formatUsd(cap)}`}</span>
      </p>
      {cap !== null && (
        <div className="mt-4">
          <Meter
            label="Spend this month"
            description={`${description} of ${formatUsd(cap)}`}
            used={spent}
            reserved={reserved}
            limit={cap}
          />
        </div>
      )}
      <p className="mt-4 text-sm text-ink-soft">{formatUsd(reserved)} reserved for running requests</p>
    </Card>
  )
}
