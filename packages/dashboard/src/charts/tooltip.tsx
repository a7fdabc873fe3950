import { swatches } from './look.ts'
import { type ChartKind, type ColouredSeries, sumAt } from './series.ts'

interface TooltipProps {
  readonly at: number
  readonly name: string
  readonly series: readonly ColouredSeries[]
  readonly kind: ChartKind
  readonly format: (value: number) => string
  readonly before: readonly number[] | undefined
  readonly detail: string | undefined
  /** Where it points to, px from the left of the chart, and the chart's width. */
  readonly x: number
  readonly width: number
}

/** The values of each series at one place. It stands on the side with more room, so that it does not cover the place. */
export function Tooltip({ at, name, series, kind, format, before, detail, x, width }: TooltipProps) {
  const shown = series.flatMap(({ values, ...one }) => {
    const value = values[at]
    return value === undefined || value === null || (kind === 'stacked' && value === 0 && series.length > 1)
      ? []
      : [{ ...one, value }]
  })
  return (
    <div
      aria-hidden="true"
      className="pointer-events-none absolute top-0 z-10 w-max max-w-64 rounded-lg border border-line bg-raised px-3 py-2 text-[0.8125rem] shadow-popup"
      style={x < width / 2 ? { left: x + 12 } : { right: width - x + 12 }}
    >
      <p className="font-medium">{name}</p>
      <dl className="mt-1 grid grid-cols-[auto_minmax(0,1fr)_auto] items-center gap-x-2 gap-y-0.5">
        {shown.map(({ id, name: title, value, colour }) => (
          <div key={id} className="contents">
            <span className={`size-2.5 rounded-sm ${swatches[colour]}`} />
            <dt className="truncate text-ink-soft">{title}</dt>
            <dd className="text-right tabular-nums">{format(value)}</dd>
          </div>
        ))}
        {kind === 'stacked' && series.length > 1 && (
          <div className="contents font-medium">
            <dt className="col-span-2">Total</dt>
            <dd className="text-right tabular-nums">{format(sumAt(series, at))}</dd>
          </div>
        )}
        {before !== undefined && (
          <div className="contents text-ink-soft">
            <dt className="col-span-2">Range before</dt>
            <dd className="text-right tabular-nums">{format(before[at] ?? 0)}</dd>
          </div>
        )}
      </dl>
      {detail !== undefined && detail !== '' && <p className="mt-1 text-ink-soft">{detail}</p>}
    </div>
  )
}
