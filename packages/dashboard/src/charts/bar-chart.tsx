import { useState } from 'react'
import { axisTicks } from './axis-ticks.ts'

export interface Series {
  /** Unique, unlike the name. */
  readonly id: string
  readonly name: string
  readonly values: readonly number[]
}

interface BarChartProps {
  /** Describes the chart to screen readers, with its main numbers. */
  readonly label: string
  /** One name per bar. */
  readonly names: readonly string[]
  /** At most five, in this order from bottom to top, or from left to right. */
  readonly series: readonly Series[]
  /** Whether the bars of one name stand side by side, for values that do not add up. Otherwise they are stacked. */
  readonly isGrouped?: boolean
  readonly format: (value: number) => string
  /** One text per bar, shown with its values; may be empty. */
  readonly details?: readonly string[]
}

const fills = ['fill-series-1', 'fill-series-2', 'fill-series-3', 'fill-series-4', 'fill-series-5'] as const
const swatches = ['bg-series-1', 'bg-series-2', 'bg-series-3', 'bg-series-4', 'bg-series-5'] as const
/** SVG units. The picture is stretched to the available width; all text is outside of it. */
const width = 1000
const height = 200
const maxBarWidth = 48

/** Bars over time. The values under the pointer are shown above; a `ChartTable` below has all of them. */
export function BarChart({ label, names, series, isGrouped = false, format, details = [] }: BarChartProps) {
  const [pointed, setPointed] = useState<number | null>(null)
  const totals = names.map((_, at) => series.reduce((sum, { values }) => sum + (values[at] ?? 0), 0))
  const ticks = axisTicks(Math.max(...(isGrouped ? series.flatMap(({ values }) => values) : totals), 0))
  const top = ticks.at(-1) ?? 1
  return (
    <figure aria-label={label}>
      <div className="mb-3 flex min-h-10 flex-wrap items-start gap-x-4 gap-y-1 text-[0.8125rem]">
        {series.length > 1 && <Legend series={series} />}
        <p aria-hidden="true" className="ml-auto text-right text-ink-soft tabular-nums">
          {pointed !== null && (
            <>
              <span className="font-medium text-ink">{names[pointed]}</span>{' '}
              {isGrouped
                ? series.map(({ name, values }) => `${name} ${format(values[pointed] ?? 0)}`).join(' · ')
                : format(totals[pointed] ?? 0)}
              {details[pointed] ? ` · ${details[pointed]}` : ''}
            </>
          )}
        </p>
      </div>
      <div aria-hidden="true" className="flex gap-3">
        <div className="relative w-12 shrink-0 text-right text-xs text-ink-soft tabular-nums">
          {ticks.map((tick) => (
            <span key={tick} className="absolute right-0 translate-y-1/2" style={{ bottom: `${(tick / top) * 100}%` }}>
              {format(tick)}
            </span>
          ))}
        </div>
        <Bars {...{ names, series, isGrouped, ticks, top, pointed }} onPoint={setPointed} />
      </div>
      <div aria-hidden="true" className="mt-2 flex justify-between pl-15 text-xs text-ink-soft tabular-nums">
        <span>{names[0]}</span>
        {names.length > 4 && <span className="max-sm:hidden">{names[Math.floor((names.length - 1) / 2)]}</span>}
        {names.length > 1 && <span>{names.at(-1)}</span>}
      </div>
    </figure>
  )
}

function Legend({ series }: Pick<BarChartProps, 'series'>) {
  return series.map(({ id, name }, index) => (
    <span key={id} className="flex min-w-0 items-center gap-1.5 text-ink-soft">
      <span aria-hidden="true" className={`size-2.5 shrink-0 rounded-sm ${swatches[index % swatches.length]}`} />
      <span className="truncate">{name}</span>
    </span>
  ))
}

interface BarsProps extends Pick<BarChartProps, 'names' | 'series'> {
  readonly isGrouped: boolean
  readonly ticks: readonly number[]
  /** The value at the top of the picture. */
  readonly top: number
  /** The index of the bar under the pointer. */
  readonly pointed: number | null
  readonly onPoint: (at: number | null) => void
}

function Bars({ names, series, isGrouped, ticks, top, pointed, onPoint }: BarsProps) {
  const slot = width / Math.max(1, names.length)
  const group = Math.min(slot * 0.8, maxBarWidth)
  const bar = isGrouped ? group / series.length : group
  const y = (value: number) => height - (value / top) * height
  return (
    <svg
      aria-hidden="true"
      viewBox={`0 0 ${width} ${height}`}
      preserveAspectRatio="none"
      className="h-48 min-w-0 flex-1 overflow-visible"
      onPointerLeave={() => onPoint(null)}
      onPointerMove={({ clientX, currentTarget }) => {
        const box = currentTarget.getBoundingClientRect()
        const at = Math.floor(((clientX - box.left) / box.width) * names.length)
        onPoint(Math.max(0, Math.min(names.length - 1, at)))
      }}
    >
      {ticks.map((tick) => (
        <line
          key={tick}
          x1={0}
          x2={width}
          y1={y(tick)}
          y2={y(tick)}
          vectorEffect="non-scaling-stroke"
          className="stroke-line"
        />
      ))}
      {names.map((name, at) => {
        let below = 0
        return (
          <g key={name} className={pointed === null || pointed === at ? '' : 'opacity-50'}>
            {series.map(({ id, values }, index) => {
              const value = values[at] ?? 0
              below = isGrouped ? value : below + value
              return (
                <rect
                  key={id}
                  x={at * slot + (slot - group) / 2 + (isGrouped ? index * bar : 0)}
                  width={bar}
                  y={y(below)}
                  height={Math.max(0, (value / top) * height)}
                  className={fills[index % fills.length] ?? fills[0]}
                />
              )
            })}
          </g>
        )
      })}
    </svg>
  )
}
