import { useParentSize } from '@visx/responsive'
import { type KeyboardEvent, type PointerEvent, useState } from 'react'
import type { ChartProps } from './chart-props.ts'
import { Plot, placeScale } from './plot.tsx'
import { type ChartKind, type ColouredSeries, highestValue, placeAfterKey, sumAt } from './series.ts'
import { Tooltip } from './tooltip.tsx'
import { valueAxis } from './value-axis.ts'

interface ChartViewProps extends Omit<ChartProps, 'series' | 'hidden' | 'onHide'> {
  readonly series: readonly ColouredSeries[]
  readonly kind: ChartKind
}

/** px */
const height = 256

/**
 * The drawing of a chart. The pointer or the arrow keys choose a place, whose values a tooltip shows. To screen readers it is
 * a slider over the time axis, which reads the values.
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
      aria-valuetext={describe(pointed ?? count - 1)}
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
        {width > 0 && <Plot {...{ names, series, kind, format, axis, before, width, height, pointed }} />}
      </div>
      {pointed !== null && (
        <Tooltip
          at={pointed}
          name={names[pointed] ?? ''}
          x={(scale(pointed) ?? 0) + scale.bandwidth() / 2}
          detail={details[pointed]}
          {...{ series, kind, format, before, width }}
        />
      )}
    </div>
  )

  function describe(at: number): string {
    const values = series.flatMap(({ name, values: own }) => {
      const value = own[at]
      return value === undefined || value === null ? [] : [`${name} ${format(value)}`]
    })
    const total = kind === 'stacked' && series.length > 1 ? [`Total ${format(sumAt(series, at))}`] : []
    const ofBefore = before === undefined ? [] : [`Range before ${format(before[at] ?? 0)}`]
    return `${names[at] ?? ''}: ${[...values, ...total, ...ofBefore].join(', ') || 'no values'}`
  }
}
