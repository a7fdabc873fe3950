import { ChevronRight } from 'lucide-react'
import type { ReactNode } from 'react'
import { ScrollRegion } from '../ui/scroll-region.tsx'
import { type Series, sumAt } from './series.ts'

interface ChartTableProps {
  /** The title of the table, and the accessible name of its scroll region. */
  readonly caption: string
  /** The heading of the first column, such as `Day (UTC)`. */
  readonly heading: string
  readonly names: readonly string[]
  readonly series: readonly Series[]
  /** Formats a value exactly; the chart may round. */
  readonly format: (value: number) => string
  /** False for values that do not add up. */
  readonly hasTotal?: boolean
  /** Makes a link of a row's name. */
  readonly linkRow?: (place: number, name: string) => ReactNode
}

const numberCell = 'px-3 py-1.5 text-right whitespace-nowrap tabular-nums'

/** A collapsible table with the exact numbers of a chart, for keyboards and screen readers too. */
export function ChartTable({
  caption,
  heading,
  names,
  series,
  format,
  hasTotal = series.length > 1,
  linkRow
}: ChartTableProps) {
  return (
    <details className="group mt-5">
      <summary className="inline-flex min-h-8 list-none items-center gap-1 rounded-md pr-2 text-[0.8125rem] font-medium text-ink-soft hover:text-ink [&::-webkit-details-marker]:hidden">
        <ChevronRight aria-hidden="true" className="size-4 transition-transform group-open:rotate-90" />
        {caption}
      </summary>
      <ScrollRegion label={caption} className="mt-2 max-h-96 overflow-auto rounded-xl border border-line">
        <table className="w-full text-sm">
          <thead className="sticky top-0 z-10 bg-sunken">
            <tr className="text-[0.8125rem] text-ink-soft">
              <th scope="col" className="sticky left-0 bg-sunken px-3 py-2 text-left font-medium whitespace-nowrap">
                {heading}
              </th>
              {series.map(({ id, name }) => (
                <th key={id} scope="col" className="max-w-48 min-w-20 px-3 py-2 text-right font-medium break-words">
                  {name}
                </th>
              ))}
              {hasTotal && (
                <th scope="col" className="px-3 py-2 text-right font-medium">
                  Total
                </th>
              )}
            </tr>
          </thead>
          <tbody className="divide-y divide-line">
            {names.map((name, at) => (
              <tr key={name}>
                <th
                  scope="row"
                  className="sticky left-0 bg-surface px-3 py-1.5 text-left font-medium whitespace-nowrap"
                >
                  {linkRow === undefined ? name : linkRow(at, name)}
                </th>
                {series.map(({ id, values }) => (
                  <td key={id} className={numberCell}>
                    {values[at] === null ? '–' : format(values[at] ?? 0)}
                  </td>
                ))}
                {hasTotal && <td className={numberCell}>{format(sumAt(series, at))}</td>}
              </tr>
            ))}
          </tbody>
        </table>
      </ScrollRegion>
    </details>
  )
}
