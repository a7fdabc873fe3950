import { AxisBottom, AxisLeft } from '@visx/axis'
import { GridRows } from '@visx/grid'
import { scaleBand, scaleLinear } from '@visx/scale'
import { BarGroup, BarStack, LinePath } from '@visx/shape'
import { fills, strokes } from './chart-props.ts'
import { type ChartKind, type ColouredSeries, labelledPlaces } from './series.ts'
import type { ValueAxis } from './value-axis.ts'

export interface PlotProps {
  readonly names: readonly string[]
  readonly series: readonly ColouredSeries[]
  readonly kind: ChartKind
  readonly format: (value: number) => string
  readonly axis: ValueAxis
  /** Values of the range before, drawn as a dashed line. */
  readonly before: readonly number[] | undefined
  /** px */
  readonly width: number
  readonly height: number
  /** The emphasised place. */
  readonly pointed: number | null
}

const margin = { top: 8, right: 20, bottom: 28 }
const maxBarWidth = 48
/** Of a label on the time axis, with the space after it: px at least, and px per character. */
const labelSpace = { least: 76, perCharacter: 7, gap: 12 }
const label = { className: 'fill-ink-soft font-sans text-xs tabular-nums' }

/** The scale of the time axis, which begins after the labels of the value axis. */
export const placeScale = (count: number, width: number, left: number) =>
  scaleBand({
    domain: Array.from({ length: count }, (_, at) => at),
    range: [left, Math.max(left + 1, width - margin.right)],
    paddingInner: 0.2,
    paddingOuter: 0.1
  })

/** Draws bars or lines with both axes. Colours are classes, so they follow the theme. */
export function Plot({ names, series, kind, format, axis, before, width, height, pointed }: PlotProps) {
  const { ticks, left } = axis
  const places = placeScale(names.length, width, left)
  const bottom = height - margin.bottom
  const values = scaleLinear({
    domain: [0, ticks.at(-1) ?? 1],
    range: [bottom, margin.top]
  })
  const y = (value: number) => Number(values(value))
  const middle = (at: number) => (places(at) ?? 0) + places.bandwidth() / 2
  const barWidth = Math.min(places.bandwidth(), maxBarWidth)
  const longest = Math.max(0, ...names.map(({ length }) => length))
  const pxPerLabel = Math.max(labelSpace.least, longest * labelSpace.perCharacter + labelSpace.gap)
  const keys = series.map(({ id }) => id)
  const colourOf = new Map(series.map(({ id, colour }) => [id, colour]))
  const data = names.map((_, at) => ({
    at,
    ...Object.fromEntries(series.map(({ id, values: own }) => [id, own[at] ?? 0]))
  }))
  type Datum = (typeof data)[number] & Record<string, number>
  const faded = (at: number) => (pointed === null || pointed === at ? '' : ' opacity-50')
  const points = (own: ReadonlyArray<number | null>) => own.map((value, at) => ({ at, value }))
  return (
    <svg aria-hidden="true" width={width} height={height} className="absolute inset-0">
      <GridRows
        scale={values}
        left={left}
        width={Math.max(0, width - left - margin.right)}
        tickValues={[...ticks]}
        className="[&_line]:stroke-line"
        stroke=""
      />
      {kind === 'stacked' && (
        <BarStack<Datum, string>
          data={data as Datum[]}
          keys={keys}
          x={({ at }) => at}
          xScale={places}
          yScale={values}
          color={(id) => id}
        >
          {(stacks) =>
            stacks.flatMap(({ key, bars }) =>
              bars.map((bar) => (
                <rect
                  key={`${key} ${bar.index}`}
                  x={middle(bar.index) - barWidth / 2}
                  y={bar.y}
                  width={barWidth}
                  height={Math.max(0, bar.height)}
                  className={`${fills[colourOf.get(String(key)) ?? 0]}${faded(bar.index)}`}
                />
              ))
            )
          }
        </BarStack>
      )}
      {kind === 'grouped' && (
        <BarGroup<Datum, string>
          data={data as Datum[]}
          keys={keys}
          height={bottom}
          x0={({ at }) => at}
          x0Scale={places}
          x1Scale={scaleBand({ domain: keys, range: [0, barWidth] })}
          yScale={values}
          color={(id) => id}
        >
          {(groups) =>
            groups.flatMap(({ index, bars }) =>
              bars.map((bar) => (
                <rect
                  key={`${bar.key} ${index}`}
                  x={middle(index) - barWidth / 2 + bar.x}
                  y={bar.y}
                  width={bar.width}
                  height={Math.max(0, bar.height)}
                  className={`${fills[colourOf.get(bar.key) ?? 0]}${faded(index)}`}
                />
              ))
            )
          }
        </BarGroup>
      )}
      {kind === 'lines' &&
        series.map(({ id, values: own, colour }) => (
          <g key={id}>
            <LinePath
              data={points(own)}
              x={({ at }) => middle(at)}
              y={({ value }) => y(value ?? 0)}
              defined={({ value }) => value !== null}
              className={`fill-none ${strokes[colour]} stroke-2`}
            />
            {points(own).map(({ at, value }) =>
              value === null ? null : (
                <circle key={at} cx={middle(at)} cy={y(value)} r={pointed === at ? 4 : 2.5} className={fills[colour]} />
              )
            )}
          </g>
        ))}
      {before !== undefined && (
        <LinePath
          data={points(before)}
          x={({ at }) => middle(at)}
          y={({ value }) => y(value ?? 0)}
          className="fill-none stroke-ink stroke-[1.5]"
          strokeDasharray="4 4"
        />
      )}
      {kind === 'lines' && pointed !== null && (
        <line x1={middle(pointed)} x2={middle(pointed)} y1={margin.top} y2={bottom} className="stroke-line-strong" />
      )}
      <AxisLeft
        scale={values}
        left={left}
        tickValues={[...ticks]}
        hideAxisLine
        hideTicks
        tickFormat={(value) => format(Number(value))}
        tickLabelProps={{ ...label, dx: '-0.25em', dy: '0.3em', textAnchor: 'end', fill: '' }}
      />
      <AxisBottom
        scale={places}
        top={bottom}
        tickValues={labelledPlaces(names.length, Math.max(1, Math.floor(width / pxPerLabel)))}
        tickFormat={(at) => names[Number(at)]}
        axisLineClassName="stroke-line-strong"
        stroke=""
        tickLength={5}
        tickLineProps={{ className: 'stroke-line-strong', stroke: '' }}
        tickLabelProps={{ ...label, dy: '0.25em', textAnchor: 'middle', fill: '' }}
      />
    </svg>
  )
}
