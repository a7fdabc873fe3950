import type { UseQueryResult } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { ChartColumn } from 'lucide-react'
import { formatUsd } from '../../format/money.ts'
import { countOf } from '../../format/number.ts'
import { Card } from '../../ui/card.tsx'
import { textLink } from '../../ui/class-names.ts'
import { Empty, QueryView } from '../../ui/states.tsx'
import { type GroupFilter, groupUsage, type UsageReport } from '../../usage/group-usage.ts'
import { sumByGroup } from '../../usage/sum-usage.ts'

const maxShown = 5

interface TopListProps {
  readonly title: string
  readonly query: UseQueryResult<UsageReport>
}

/** The models or keys with the highest cost, with bars to compare. */
export function TopList({ title, query }: TopListProps) {
  return (
    <Card title={title} isFlush>
      <QueryView query={query}>
        {(report) => {
          const { groupOf, nameOf, filterOf } = groupUsage(report)
          const groups = sumByGroup(report.buckets, groupOf).slice(0, maxShown)
          if (groups.length === 0) {
            return (
              <Empty icon={ChartColumn} title="No usage yet">
                Your {title.toLowerCase()} this month will appear here.
              </Empty>
            )
          }
          const highestUsd = groups[0]?.sums.costUsd ?? 0
          return (
            <ol className="space-y-3.5 px-5 pb-5">
              {groups.map(({ group, sums }) => (
                <li key={group}>
                  <div className="flex items-baseline justify-between gap-4 text-sm">
                    <span className="min-w-0 truncate font-medium" title={nameOf(group)}>
                      <UsageLink only={filterOf(group)}>{nameOf(group)}</UsageLink>
                    </span>
                    <span className="shrink-0 text-ink-soft tabular-nums">
                      {countOf(sums.requests, 'request')} · {formatUsd(sums.costUsd)}
                    </span>
                  </div>
                  <div aria-hidden="true" className="mt-1.5 h-1.5 overflow-hidden rounded-full bg-sunken">
                    <div
                      className="h-full rounded-full bg-accent"
                      style={{ width: `${highestUsd <= 0 ? 0 : Math.max(0, (100 * sums.costUsd) / highestUsd)}%` }}
                    />
                  </div>
                </li>
              ))}
            </ol>
          )
        }}
      </QueryView>
    </Card>
  )
}

interface UsageLinkProps {
  /** Null if the usage page cannot show the group alone. */
  readonly only: GroupFilter | null
  readonly children: string
}

/** The name of a model or key, which leads to its usage. */
function UsageLink({ only, children }: UsageLinkProps) {
  if (only === null) return children
  return (
    <Link to="/dashboard/usage" search={{ ...only, range: 'this-month' }} className={textLink}>
      {children}
    </Link>
  )
}
