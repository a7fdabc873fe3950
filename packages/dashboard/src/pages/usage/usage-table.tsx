import { Link, useSearch } from '@tanstack/react-router'
import { counterNames, isRare, type Meter, meters } from '@tollgate/contracts/meters/meters.ts'
import { formatUsd } from '../../format/money.ts'
import { formatCount } from '../../format/number.ts'
import { textLink } from '../../ui/class-names.ts'
import { ScrollRegion } from '../../ui/scroll-region.tsx'
import { describeChange } from '../../usage/compare.ts'
import { type Groups, groupUsage, type UsageReport } from '../../usage/group-usage.ts'
import { type Sums, sumByGroup, sumUsage } from '../../usage/sum-usage.ts'
import type { UsageRange } from '../../usage/usage-range.ts'
import { requestsOfRange } from './to-requests.ts'
import { onlyOf, type UsageOnly } from './usage-search.ts'

type Column = readonly [name: string, show: (sums: Sums) => string, counter?: Meter | undefined]

const frequentNames: Readonly<Partial<Record<Meter, string>>> = {
  promptTokens: 'Input tokens',
  completionTokens: 'Output tokens',
  reasoningTokens: 'Reasoning tokens'
}

/** A column with a counter is shown only if the counter is not 0 in the total. */
const columns: readonly Column[] = [
  ['Requests', ({ requests }) => formatCount(requests)],
  ['Errors', ({ errors }) => formatCount(errors)],
  ...meters.map(
    (meter): Column => [
      frequentNames[meter] ?? counterNames[meter],
      (sums) => formatCount(sums[meter]),
      isRare(meter) ? meter : undefined
    ]
  )
]

interface UsageTableProps {
  readonly report: UsageReport
  /** The report of the range before; undefined if it is not compared, or not loaded yet. */
  readonly before: UsageReport | undefined
}

/** The totals of each group, and of all groups. */
export function UsageTable({ report, before }: UsageTableProps) {
  const grouping = groupUsage(report)
  const { heading, groupOf } = grouping
  const range = { from: new Date(report.from), to: new Date(report.to), interval: report.interval }
  const groups = sumByGroup(report.buckets, groupOf)
  const costBefore =
    before && new Map(sumByGroup(before.buckets, groupOf).map(({ group, sums }) => [group, sums.costUsd]))
  const totalBefore = before && sumUsage(before.buckets).costUsd
  const total = sumUsage(report.buckets)
  const visible = columns.filter(([, , counter]) => counter === undefined || total[counter] > 0)
  const numberCell = 'px-3 py-2.5 text-right whitespace-nowrap tabular-nums'
  const cells = (sums: Sums, usdBefore: number | undefined) => (
    <>
      <td className={numberCell}>{formatUsd(sums.costUsd)}</td>
      {usdBefore !== undefined && (
        <>
          <td className={numberCell}>{formatUsd(usdBefore)}</td>
          <td className={numberCell}>{describeChange(sums.costUsd, usdBefore)}</td>
        </>
      )}
      {visible.map(([name, show]) => (
        <td key={name} className={numberCell}>
          {show(sums)}
        </td>
      ))}
    </>
  )
  // The cost and its change come first: a narrow screen hides the last columns until it is scrolled.
  const titles = ['Cost', ...(before === undefined ? [] : ['Cost before', 'Change']), ...visible.map(([name]) => name)]
  return (
    <ScrollRegion label="Totals" className="wide-table rounded-2xl px-2 pb-2">
      <table className="w-full text-sm">
        <thead>
          <tr className="text-[0.8125rem] text-ink-soft">
            <th scope="col" className="px-3 py-2 text-left align-bottom font-medium">
              {heading === '' ? <span className="sr-only">Group</span> : heading}
            </th>
            {titles.map((name) => (
              <th key={name} scope="col" className="px-3 py-2 text-right align-bottom font-medium text-balance">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody className="divide-y divide-line border-y border-line">
          {groups.map(({ group, sums }) => (
            <tr key={group}>
              <th scope="row" className="max-w-56 min-w-32 px-3 py-2.5 text-left font-medium break-words">
                <GroupLink group={group} groups={grouping} range={range} />
              </th>
              {cells(sums, costBefore && (costBefore.get(group) ?? 0))}
            </tr>
          ))}
        </tbody>
        {groups.length > 1 && (
          <tfoot>
            <tr className="font-semibold">
              <th scope="row" className="px-3 py-2.5 text-left">
                Total
              </th>
              {cells(total, totalBefore)}
            </tr>
          </tfoot>
        )}
      </table>
    </ScrollRegion>
  )
}

interface GroupLinkProps {
  readonly group: string
  readonly groups: Groups
  readonly range: UsageRange
}

/** The name of a group, which leads to its requests if a filter finds them. */
export function GroupLink({ group, groups, range }: GroupLinkProps) {
  const only = useOnly()
  const filter = groups.filterOf(group)
  if (filter === null) return groups.nameOf(group)
  return (
    <Link to="/dashboard/requests" search={requestsOfRange(range, { ...only, ...filter })} className={textLink}>
      {groups.nameOf(group)}
    </Link>
  )
}

/** The key and the model that the usage page is about, by its address: links to requests keep them. */
export const useOnly = (): UsageOnly => onlyOf(useSearch({ from: '/dashboard/usage' }))
