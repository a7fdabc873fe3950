import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { QueryView } from '../ui/states.tsx'
import { Legend } from './legend.tsx'
import { type ChartKind, type Series, visibleSeries } from './series.ts'

export interface ChartProps {
  /** Describes the chart to screen readers, with its main numbers. */
  readonly label: string
  /** One name per place on the time axis. */
  readonly names: readonly string[]
  /** At most five, in this order from bottom to top, or from left to right. */
  readonly series: readonly Series[]
  readonly kind?: ChartKind
  readonly format: (value: number) => string
  /** One text per place, shown with its values; may be empty. */
  readonly details?: readonly string[]
  /** The sums of the range before, place by place. */
  readonly before?: readonly number[] | undefined
  /** The ids of hidden series, for a page that keeps them in its address. */
  readonly hidden?: ReadonlySet<string>
  readonly onHide?: (hidden: ReadonlySet<string>) => void
  /** Called for a click on a place, or Enter. */
  readonly onChoose?: (place: number) => void
}

/** The code that draws is larger than most pages, so it is loaded with the first chart. */
const loadView = { queryKey: ['chart view'], queryFn: () => import('./chart-view.tsx'), staleTime: Infinity }

/** A chart over time, with a legend that hides series. A `ChartTable` below has all of its numbers. */
export function Chart({ series, hidden: given, onHide, kind = 'stacked', ...rest }: ChartProps) {
  const [own, setOwn] = useState<ReadonlySet<string>>(new Set())
  const code = useQuery(loadView)
  const hidden = given ?? own
  // An address may hide every series that there is now.
  const isNothingLeft = series.every(({ id }) => hidden.has(id))
  const shown = visibleSeries(series, isNothingLeft ? new Set() : hidden)
  return (
    <figure aria-label={rest.label} className="min-w-0">
      {(series.length > 1 || rest.before !== undefined) && (
        <div className="mb-3 flex flex-wrap items-center gap-x-4 gap-y-1">
          {series.length > 1 && (
            <Legend series={series} hidden={isNothingLeft ? new Set() : hidden} onChange={onHide ?? setOwn} />
          )}
          {rest.before !== undefined && (
            <span className="flex items-center gap-1.5 text-[0.8125rem] text-ink-soft">
              <span aria-hidden="true" className="w-5 border-t-2 border-dashed border-ink" />
              Range before
            </span>
          )}
        </div>
      )}
      {/* The height of the chart, so that nothing moves when its code arrives. */}
      <div className="min-h-64">
        <QueryView query={code} lines={7}>
          {({ ChartView }) => <ChartView {...rest} kind={kind} series={shown} />}
        </QueryView>
      </div>
    </figure>
  )
}
