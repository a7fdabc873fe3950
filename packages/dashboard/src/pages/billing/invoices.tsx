import { useInfiniteQuery } from '@tanstack/react-query'
import { FileText, Receipt } from 'lucide-react'
import type { ApiError } from '../../api/api-error.ts'
import { type Answer, send } from '../../api/call.ts'
import { formatAmount } from '../../format/money.ts'
import { formatDay } from '../../format/time.ts'
import { Badge } from '../../ui/badge.tsx'
import { buttonLook } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { Empty, LoadMore, QueryView } from '../../ui/states.tsx'

type Invoice = Answer<'listInvoices'>['invoices'][number]

const looks: Readonly<Record<string, readonly [tone: 'accent' | 'warning' | 'neutral' | 'danger', text: string]>> = {
  paid: ['accent', 'Paid'],
  open: ['warning', 'Open'],
  uncollectible: ['danger', 'Unpaid'],
  void: ['neutral', 'Void'],
  draft: ['neutral', 'Draft']
}

export function Invoices() {
  const query = useInfiniteQuery<Answer<'listInvoices'>, ApiError, Invoice[], unknown[], string | undefined>({
    queryKey: ['listInvoices', {}],
    queryFn: ({ pageParam: after, signal }) => send('listInvoices', { query: { starting_after: after } }, signal),
    initialPageParam: undefined,
    getNextPageParam: ({ invoices, has_more }) => (has_more ? invoices.at(-1)?.id : undefined),
    select: ({ pages }) => pages.flatMap(({ invoices }) => invoices)
  })
  return (
    <Card title="Invoices" isFlush>
      <QueryView query={query}>
        {(invoices) =>
          invoices.length === 0 ? (
            <Empty icon={Receipt} title="No invoices yet">
              Choose a plan above. Your invoices will appear here as PDFs.
            </Empty>
          ) : (
            <ul aria-label="Invoices" className="divide-y divide-line border-t border-line">
              {invoices.map((invoice) => (
                <InvoiceRow key={invoice.id} invoice={invoice} />
              ))}
            </ul>
          )
        }
      </QueryView>
      <div className="border-t border-line p-4 empty:hidden">
        <LoadMore query={query} text="Show older invoices" />
      </div>
    </Card>
  )
}

function InvoiceRow({ invoice }: { readonly invoice: Invoice }) {
  const { number, amount, currency, status, created, due, pdf_url: pdf } = invoice
  const at = new Date(created * 1000)
  const [tone, text] = looks[status] ?? ['neutral', status]
  return (
    <li className="flex flex-wrap items-center gap-x-6 gap-y-2 px-5 py-3.5 text-sm">
      <time dateTime={at.toISOString()} className="min-w-28 flex-1 font-medium">
        {formatDay(at)}
      </time>
      {number !== null && <span className="min-w-28 font-mono text-[0.8125rem] break-all text-ink-soft">{number}</span>}
      {status === 'open' && due !== null && <span>Due on {formatDay(new Date(due * 1000))}</span>}
      <span className="tabular-nums">{formatAmount(amount, currency)}</span>
      <Badge tone={tone}>{text}</Badge>
      {pdf !== null && (
        <a href={pdf} target="_blank" rel="noreferrer" className={buttonLook({ size: 'small' })}>
          <FileText aria-hidden="true" className="size-3.5" />
          PDF<span className="sr-only"> of {number ?? formatDay(at)}, in a new tab</span>
        </a>
      )}
    </li>
  )
}
