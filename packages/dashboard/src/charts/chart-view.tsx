import { useParentSize } from '@visx/responsive'
import { type KeyboardEvent, type PointerEvent, useState } from 'react'
import { Plot, placeScale } from './plot.tsx'
import {
  type ChartKind,
  type ChartProps,
  type ColouredSeries,
  highestValue,
  placeAfterKey,
  sumAt,
  swatches
} from './series.ts'
import { valueAxis } from './value-axis.ts'

interface ChartViewProps extends Omit<ChartProps, 'series' | 'hidden' | 'onHide'> {
  readonly series: readonly ColouredSeries[]
  readonly kind: ChartKind
}

/** px */
const height = 256

/**
 * The drawing of a chart. The pointer or the arrow keys choose a place, whose values a tooltip shows. To screen readers
 * it is a slider over the time axis, which reads the values.
 */
export function ChartView(props: ChartViewProps) {
  const { label, names, series, kind, format, isCount = false, details = [], before, onChoose } = props
  const { parentRef, width } = useParentSize({ debounceTime: 50 })
  const [place, setPlace] = useState<number | null>(null)
  const count = names.length
  // A shorter range may have arrived since.
  const pointed = place !== null && place < count ? place : null
  const axis = valueAxis(highestValue(series, kind, before), isCount, format)
  const scale = placeScale(count, width, axis.left)
  const placeUnder = ({ clientX, currentTarget }: PointerEvent<HTMLDivElement>) => {
    const x = clientX - currentTarget.getBoundingClientRect().left
    const at = Math.floor((x - (scale(0) ?? 0)) / scale.step())
    return Math.max(0, Math.min(count - 1, at))
  }
  const move = (event: KeyboardEvent) => {
    const next = placeAfterKey(event.key, pointed ?? count, count)
    if (next !== undefined) {
      event.preventDefault()
      setPlace(next)
    } else if (event.key === 'Enter' && pointed !== null) onChoose?.(pointed)
    else if (event.key === 'Escape') setPlace(null)
  }
  return (
    <div
      ref={parentRef}
      role="slider"
      tabIndex={0}
      aria-label={label}
      aria-valuemin={1}
      aria-valuemax={count}
      aria-valuenow={(pointed ?? count - 1) + 1}
      aria-valuetext={describe(props, pointed ?? count - 1)}
      onKeyDown={move}
      onBlur={() => setPlace(null)}
      onPointerMove={(event) => setPlace(placeUnder(event))}
      onPointerLeave={() => setPlace(null)}
      onClick={() => {
        if (pointed !== null) onChoose?.(pointed)
      }}
      className={`relative h-64 touch-pan-y rounded-md ${onChoose === undefined ? '' : 'cursor-pointer'}`}
    >
      {/* Until the new width is known, a chart that is too wide must not widen the page. */}
      <div className="absolute inset-0 overflow-hidden">
        {width > 0 && (
          <Plot
            names={names}
            series={series}
            kind={kind}
            format={format}
            axis={axis}
            before={before}
            width={width}
            height={height}
            pointed={pointed}
          />
        )}
      </div>
      {pointed !== null && (
        <Tooltip
          at={pointed}
          name={names[pointed] ?? ''}
          x={(scale(pointed) ?? 0) + scale.bandwidth() / 2}
          detail={details[pointed]}
          series={series}
          kind={kind}
          format={format}
          before={before}
          width={width}
        />
      )}
    </div>
  )
}

/** The values of all series at a place, in one sentence. */
function describe({ names, series, kind, format, before }: ChartViewProps, at: number): string {
  const values = series.flatMap(({ name, values: own }) => {
    const value = own[at]
    return value === undefined || value === null ? [] : [`${name} ${format(value)}`]
  })
  const total = kind === 'stacked' && series.length > 1 ? [`Total ${format(sumAt(series, at))}`] : []
  const ofBefore = before === undefined ? [] : [`Range before ${format(before[at] ?? 0)}`]
  return `${names[at] ?? ''}: ${[...values, ...total, ...ofBefore].join(', ') || 'no values'}`
}

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

/**
 * The values of each series at one place. It stands on the side with more room, so that it does not cover the place.
 */
function Tooltip({ at, name, series, kind, format, before, detail, x, width }: TooltipProps) {
  const visible = series.flatMap(({ values, ...one }) => {
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
        {visible.map(({ id, name: title, value, colour }) => (
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
