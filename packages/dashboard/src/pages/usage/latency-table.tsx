import { formatCount } from '../../format/number.ts'
import { ScrollRegion } from '../../ui/scroll-region.tsx'
import { groupUsage, type LatencyReport } from '../../usage/group-usage.ts'
import { latencies } from '../../usage/measures.ts'
import { latencyOf } from '../../usage/stack-usage.ts'
import { formatMs } from '../requests/describe-request.ts'
import { GroupLink } from './group-link.tsx'

const numberCell = 'px-3 py-2.5 text-right whitespace-nowrap tabular-nums'

/** The latency of each group over the whole range. */
export function LatencyTable({ report }: { readonly report: LatencyReport }) {
  const groups = groupUsage(report)
  const range = { from: new Date(report.from), to: new Date(report.to), interval: report.interval }
  return (
    <ScrollRegion label="Whole range" className="wide-table rounded-2xl px-2 pb-2">
      <table className="w-full text-sm">
        <thead>
          <tr className="text-[0.8125rem] text-ink-soft">
            <th scope="col" className="px-3 py-2 text-left font-medium">
              {groups.heading === '' ? <span className="sr-only">Group</span> : groups.heading}
            </th>
            {['Measured requests', ...latencies.map(([, name]) => name)].map((name) => (
              <th key={name} scope="col" className="px-3 py-2 text-right font-medium whitespace-nowrap">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody className="divide-y divide-line border-t border-line">
          {report.totals.map((measured) => {
            const group = groups.groupOf(measured)
            return (
              <tr key={group}>
                <th scope="row" className="max-w-56 min-w-32 px-3 py-2.5 text-left font-medium break-words">
                  <GroupLink {...{ group, groups, range }} />
                </th>
                <td className={numberCell}>{formatCount(measured.requests)}</td>
                {latencies.map(([name]) => (
                  <td key={name} className={numberCell}>
                    {formatMs(latencyOf(measured, name))}
                  </td>
                ))}
              </tr>
            )
          })}
        </tbody>
      </table>
    </ScrollRegion>
  )
}
