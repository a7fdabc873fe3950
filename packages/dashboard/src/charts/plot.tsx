import { AxisBottom, AxisLeft } from '@visx/axis'
import { GridRows } from '@visx/grid'
import { scaleBand, scaleLinear } from '@visx/scale'
import { BarGroup, BarStack, LinePath } from '@visx/shape'
import { type ChartKind, type ColouredSeries, fills, labelledPlaces, strokes } from './series.ts'
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
export function Plot(props: PlotProps) {
  const { names, series, kind, axis, before, width, height, pointed } = props
  const places = placeScale(names.length, width, axis.left)
  const bottom = height - margin.bottom
  const values = scaleLinear({ domain: [0, axis.ticks.at(-1) ?? 1], range: [bottom, margin.top] })
  const middle = (at: number) => (places(at) ?? 0) + places.bandwidth() / 2
  const scales: Scales = { places, values, bottom, middle }
  return (
    <svg aria-hidden="true" width={width} height={height} className="absolute inset-0">
      <GridRows
        scale={values}
        left={axis.left}
        width={Math.max(0, width - axis.left - margin.right)}
        tickValues={[...axis.ticks]}
        className="[&_line]:stroke-line"
        stroke=""
      />
      {kind === 'stacked' && <StackedBars {...props} {...scales} />}
      {kind === 'grouped' && <GroupedBars {...props} {...scales} />}
      {kind === 'lines' && series.map((one) => <Line key={one.id} series={one} pointed={pointed} {...scales} />)}
      {before !== undefined && (
        <LinePath
          data={points(before)}
          x={({ at }) => middle(at)}
          y={({ value }) => values(value ?? 0)}
          className="fill-none stroke-ink stroke-[1.5]"
          strokeDasharray="4 4"
        />
      )}
      {kind === 'lines' && pointed !== null && (
        <line x1={middle(pointed)} x2={middle(pointed)} y1={margin.top} y2={bottom} className="stroke-line-strong" />
      )}
      <Axes {...props} {...scales} />
    </svg>
  )
}

/** From places and values to px. */
interface Scales {
  readonly places: ReturnType<typeof placeScale>
  readonly values: ReturnType<typeof scaleLinear<number>>
  /** Of the lowest value. */
  readonly bottom: number
  /** Of a place. */
  readonly middle: (at: number) => number
}

type BarsProps = PlotProps & Scales

const barWidth = ({ places }: Scales): number => Math.min(places.bandwidth(), maxBarWidth)

/** One row per place, with the value of each series by its id. */
const rowsOf = ({ names, series }: PlotProps) =>
  names.map(
    (_, at): Record<string, number> => ({
      at,
      ...Object.fromEntries(series.map(({ id, values }) => [id, values[at] ?? 0]))
    })
  )

/** The classes of the bar of a series at a place. */
function barLook({ series, pointed }: PlotProps, id: string, at: number): string {
  const colour = series.find((one) => one.id === id)?.colour ?? 0
  return `${fills[colour]}${pointed === null || pointed === at ? '' : ' opacity-50'}`
}

function StackedBars(props: BarsProps) {
  const { series, places, values, middle } = props
  const width = barWidth(props)
  return (
    <BarStack<Record<string, number>, string>
      data={rowsOf(props)}
      keys={series.map(({ id }) => id)}
      x={({ at }) => at!}
      xScale={places}
      yScale={values}
      color={(id) => id}
    >
      {(stacks) =>
        stacks.flatMap(({ key, bars }) =>
          bars.map((bar) => (
            <rect
              key={`${key} ${bar.index}`}
              x={middle(bar.index) - width / 2}
              y={bar.y}
              width={width}
              height={Math.max(0, bar.height)}
              className={barLook(props, String(key), bar.index)}
            />
          ))
        )
      }
    </BarStack>
  )
}

function GroupedBars(props: BarsProps) {
  const { series, places, values, bottom, middle } = props
  const width = barWidth(props)
  const keys = series.map(({ id }) => id)
  return (
    <BarGroup<Record<string, number>, string>
      data={rowsOf(props)}
      keys={keys}
      height={bottom}
      x0={({ at }) => at!}
      x0Scale={places}
      x1Scale={scaleBand({ domain: keys, range: [0, width] })}
      yScale={values}
      color={(id) => id}
    >
      {(groups) =>
        groups.flatMap(({ index, bars }) =>
          bars.map((bar) => (
            <rect
              key={`${bar.key} ${index}`}
              x={middle(index) - width / 2 + bar.x}
              y={bar.y}
              width={bar.width}
              height={Math.max(0, bar.height)}
              className={barLook(props, bar.key, index)}
            />
          ))
        )
      }
    </BarGroup>
  )
}

const points = (values: ReadonlyArray<number | null>) => values.map((value, at) => ({ at, value }))

interface LineProps extends Scales {
  readonly series: ColouredSeries
  readonly pointed: number | null
}

/** A line with a dot at each value. It has a gap at each place without a value. */
function Line({ series, pointed, values, middle }: LineProps) {
  return (
    <g>
      <LinePath
        data={points(series.values)}
        x={({ at }) => middle(at)}
        y={({ value }) => values(value ?? 0)}
        defined={({ value }) => value !== null}
        className={`fill-none ${strokes[series.colour]} stroke-2`}
      />
      {points(series.values).map(({ at, value }) =>
        value === null ? null : (
          <circle
            key={at}
            cx={middle(at)}
            cy={values(value)}
            r={pointed === at ? 4 : 2.5}
            className={fills[series.colour]}
          />
        )
      )}
    </g>
  )
}

function Axes({ names, format, axis, width, places, values, bottom }: PlotProps & Scales) {
  const longest = Math.max(0, ...names.map(({ length }) => length))
  const pxPerLabel = Math.max(labelSpace.least, longest * labelSpace.perCharacter + labelSpace.gap)
  return (
    <>
      <AxisLeft
        scale={values}
        left={axis.left}
        tickValues={[...axis.ticks]}
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
    </>
  )
}
