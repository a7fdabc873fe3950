import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { Answer } from '../../api/call.ts'
import { readDocument } from '../../api/queries.ts'
import { formatExactUsd } from '../../format/money.ts'
import { countOf, formatCount } from '../../format/number.ts'
import { formatExactMoment } from '../../format/time.ts'
import { nameOfKey } from '../../format/visible-text.ts'
import { Badge } from '../../ui/badge.tsx'
import { Card } from '../../ui/card.tsx'
import { textLink } from '../../ui/class-names.ts'
import { CopyableId } from '../../ui/copy-button.tsx'
import { type Column, DataTable, Facts } from '../../ui/data-table.tsx'
import { explainPrices, explainRequest, formatMs, outcomeOf, type RequestDetail, speedOf } from './describe-request.ts'
import { type ChargeLine, chargeLines, listAttempts } from './receipt-lines.ts'

interface RequestReceiptProps {
  readonly request: RequestDetail
  /** Null if it was deleted. */
  readonly requestKey: Answer<'getRequest'>['key']
  /** For operators: whose request it is. Without it, it is the reader's own. */
  readonly account?: ReactNode
}

export function RequestReceipt({ request, requestKey, account }: RequestReceiptProps) {
  const [tone, outcome] = outcomeOf(request)
  const speed = speedOf(request)
  return (
    <>
      <Card title="What happened">
        <div className="space-y-5">
          <div className="space-y-1">
            <Badge tone={tone}>{outcome}</Badge>
            {explainRequest(request).map((sentence) => (
              <p key={sentence}>{sentence}</p>
            ))}
            {request.code !== null && <Remedy code={request.code} />}
          </div>
          <CopyableId of="Request" id={request.id} />
          <Facts
            facts={[
              [
                'Time',
                <time key="time" dateTime={request.at}>
                  {formatExactMoment(new Date(request.at))}
                </time>
              ],
              ...(account === undefined ? [] : [['Account', account] as const]),
              ['Key', <KeyName key="key" requestKey={requestKey} isOwn={account === undefined} />],
              ['Endpoint', request.endpoint === '' ? '–' : request.endpoint],
              ['Model', request.model ?? '–'],
              ...(request.asked_model === null ? [] : [['Requested as', request.asked_model] as const]),
              ...(request.answered_model === null ? [] : [['Model of the answer', request.answered_model] as const]),
              ...amountsOf(request),
              ['Answer', request.stream ? 'A stream' : 'A single body'],
              ...(request.upstream === undefined ? [] : [['Provider', request.upstream ?? '–'] as const]),
              ['Calls to providers', formatCount(request.attempts)],
              ['First byte after', formatMs(request.first_byte_ms)],
              ['Duration', formatMs(request.duration_ms)],
              ...(speed === null ? [] : [['Output speed', speed] as const]),
              ...(request.service_tier === null ? [] : [['Service tier', request.service_tier] as const]),
              ...(request.address === null ? [] : [['Client address', request.address] as const])
            ]}
          />
        </div>
      </Card>
      <Attempts request={request} />
      {request.kind !== 'refused' && <Reservation request={request} />}
      {request.kind !== 'refused' && <ChargeTable request={request} />}
    </>
  )
}

/** What a refused request needed, what was left and the limit. */
function amountsOf(request: RequestDetail): ReadonlyArray<readonly [name: string, value: string]> {
  const { needed_usd: usd, left_usd: leftUsd, limit_usd: limitUsd } = request
  const { needed_tokens: tokens, left_tokens: left, limit_tokens: limit } = request
  if (usd !== null && leftUsd !== null && limitUsd !== null)
    return [
      ['Needed at least', formatExactUsd(usd)],
      ['Left of the budget', `${formatExactUsd(leftUsd)} of ${formatExactUsd(limitUsd)}`]
    ]
  if (tokens === null || left === null || limit === null) return []
  return [
    ['Needed', countOf(tokens, 'token')],
    ['Left of the minute', `${formatCount(left)} of ${countOf(limit, 'token')}`]
  ]
}

interface KeyNameProps {
  readonly requestKey: RequestReceiptProps['requestKey']
  readonly isOwn: boolean
}

/** As control names the tokens of a playground, which stand in the place of a key. */
const playgroundPrefix = 'play_'

/** The name of a key. Only keys of the reader's account have a page. */
function KeyName({ requestKey, isOwn }: KeyNameProps) {
  if (requestKey === null) return 'Deleted key'
  const name = nameOfKey({ ...requestKey, scope: 'inference' })
  if (!isOwn) return name
  if (requestKey.id.startsWith(playgroundPrefix)) {
    return (
      <Link to="/dashboard/playground" className={textLink}>
        {name}
      </Link>
    )
  }
  return (
    <Link to="/dashboard/keys/$id" params={{ id: requestKey.id }} className={textLink}>
      {name}
    </Link>
  )
}

/**
 * A link to what the docs say about an error. They have a page for each code of ours, and none for codes of a provider.
 */
function Remedy({ code }: { readonly code: string }) {
  const { data } = useQuery(readDocument('/api/docs/errors.md'))
  if (data?.includes(`\n## ${code}\n`) !== true) return null
  return (
    <p>
      <a href={`/docs/errors/${code}`} className={textLink}>
        What to do about {code}
      </a>
    </p>
  )
}

/** What was set aside before the request started. */
function Reservation({ request }: { readonly request: RequestDetail }) {
  const { reserved_usd, reserved_tokens, granted_output_tokens: granted, cost_usd } = request
  const left = Number(reserved_usd) - Number(cost_usd)
  return (
    <Card
      title="Reservation"
      description="Before a request starts, its maximum cost is reserved, so that the budget cannot be exceeded. Afterwards only its cost is charged."
    >
      <Facts
        facts={[
          ['Reserved', `${formatExactUsd(reserved_usd)} for ${countOf(reserved_tokens, 'token')}`],
          ['Output limit', granted === null ? '–' : countOf(granted, 'token')],
          ['Charged', formatExactUsd(cost_usd)],
          ['Freed afterwards', formatExactUsd(Math.max(0, left))]
        ]}
      />
    </Card>
  )
}

/** Which providers were called, and why more than one call was made. */
function Attempts({ request }: { readonly request: RequestDetail }) {
  const attempts = listAttempts(request)
  if (attempts.length === 0) return null
  return (
    <Card
      title="Calls to providers"
      description="After a call that failed, another one may follow, as long as no part of an answer was sent."
    >
      <ol className="list-decimal space-y-4 pl-5 text-sm">
        {attempts.map(({ number, provider, isFailure, outcome, time }) => (
          <li key={number} className="pl-1">
            <div className="flex flex-wrap items-baseline gap-x-3 gap-y-1">
              <span className="font-medium">{provider}</span>
              <Badge tone={isFailure ? 'danger' : 'neutral'}>{outcome}</Badge>
            </div>
            {time !== null && <p className="mt-1 text-[0.8125rem] text-ink-soft">{time}</p>}
          </li>
        ))}
      </ol>
    </Card>
  )
}

const columns: ReadonlyArray<Column<ChargeLine>> = [
  { name: 'Used', show: ({ name }) => name },
  { name: 'Amount', isNumber: true, show: ({ count }) => formatCount(count) },
  {
    name: 'Price',
    isNumber: true,
    show: ({ price, unit }) => (price === null ? '–' : `${formatExactUsd(price)}/${unit}`)
  },
  { name: 'Cost', isNumber: true, show: ({ usd }) => (usd === null ? '–' : formatExactUsd(usd)) }
]

/** What was used, at which price. */
function ChargeTable({ request }: { readonly request: RequestDetail }) {
  const lines = chargeLines(request)
  const total = `Charged: ${formatExactUsd(request.cost_usd)}`
  return (
    <Card title="Cost" description={explainPrices(request)} isFlush>
      {lines.length > 0 && <DataTable label="Cost by kind" columns={columns} rows={lines} keyOf={({ name }) => name} />}
      <p className="border-t border-line px-5 py-3.5 text-right font-medium tabular-nums">{total}</p>
      {request.provider_cost_usd !== undefined && request.margin_usd !== undefined && (
        <p className="px-5 pb-3.5 text-right text-sm text-ink-soft tabular-nums">
          Provider cost: {formatExactUsd(request.provider_cost_usd)} · Margin: {formatExactUsd(request.margin_usd)}
        </p>
      )}
    </Card>
  )
}
