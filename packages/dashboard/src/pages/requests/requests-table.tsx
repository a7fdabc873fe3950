import { Link } from '@tanstack/react-router'
import { formatUsd } from '../../format/money.ts'
import { formatCompact, formatCount } from '../../format/number.ts'
import { formatInZone, zoneMark } from '../../format/time.ts'
import { Badge } from '../../ui/badge.tsx'
import { textLink } from '../../ui/class-names.ts'
import { type Column, DataTable } from '../../ui/data-table.tsx'
import { formatMs, type ListedRequest, outcomeOf, tokensOf } from './describe-request.ts'
import type { RequestLog } from './request-log.tsx'

const formatTime = formatInZone({
  month: 'short',
  day: 'numeric',
  hour: 'numeric',
  minute: '2-digit',
  second: '2-digit'
})

interface RequestsTableProps extends Pick<RequestLog, 'receipts' | 'hasProviders'> {
  readonly requests: readonly ListedRequest[]
  /** Names of keys by their id; undefined if all requests have the same key. */
  readonly names?: ReadonlyMap<string, string>
}

export function RequestsTable({ requests, names, receipts, hasProviders }: RequestsTableProps) {
  const columns: ReadonlyArray<Column<ListedRequest>> = [
    {
      name: 'Time',
      show: ({ id, at }) => (
        <Link to={`${receipts}/$id` as const} params={{ id }} className={`whitespace-nowrap tabular-nums ${textLink}`}>
          <time dateTime={at}>{formatTime(new Date(at)) + zoneMark()}</time>
        </Link>
      )
    },
    ...(names === undefined
      ? []
      : [
          {
            name: 'Key',
            show: ({ key_id }: ListedRequest) => (
              <span className="block max-w-48 break-words">{names.get(key_id) ?? 'Deleted key'}</span>
            )
          }
        ]),
    {
      name: 'Model',
      show: ({ model }) => (
        <span className="block min-w-28 font-mono text-[0.8125rem] wrap-anywhere">{model ?? '–'}</span>
      )
    },
    ...(hasProviders ? [{ name: 'Provider', show: ({ upstream }: ListedRequest) => upstream ?? '–' }] : []),
    {
      name: 'Status',
      show: (request) => {
        const [tone, text] = outcomeOf(request)
        return (
          <span className="flex flex-wrap items-center gap-1">
            <Badge tone={tone}>{text}</Badge>
            {request.count > 1 && <Badge>× {formatCount(request.count)}</Badge>}
          </span>
        )
      }
    },
    { name: 'Tokens', isNumber: true, show: (request) => formatCompact(tokensOf(request)) },
    { name: 'Cost', isNumber: true, show: ({ cost_usd }) => formatUsd(cost_usd) },
    { name: 'Duration', isNumber: true, show: ({ duration_ms }) => formatMs(duration_ms) }
  ]
  return <DataTable label="Requests, newest first" columns={columns} rows={requests} keyOf={({ id }) => id} />
}
