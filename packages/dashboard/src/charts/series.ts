export interface Series {
  /** Unique, unlike the name. */
  readonly id: string
  readonly name: string
  /** One value per place on the time axis; null for a place without a value. */
  readonly values: ReadonlyArray<number | null>
  /** From 0 to 4; by default its place among the series. */
  readonly colour?: number
}

/** `stacked`: values that add up. `grouped`: bars side by side. `lines`: values that do not add up. */
export type ChartKind = 'stacked' | 'grouped' | 'lines'

/** A series with its colour, which it keeps while others are hidden. */
export interface ColouredSeries extends Series {
  readonly colour: number
}

/** Classes by the colour of a series. They are written out, because Tailwind searches the sources for them. */
export const fills = ['fill-series-1', 'fill-series-2', 'fill-series-3', 'fill-series-4', 'fill-series-5'] as const
export const strokes = [
  'stroke-series-1',
  'stroke-series-2',
  'stroke-series-3',
  'stroke-series-4',
  'stroke-series-5'
] as const
export const swatches = ['bg-series-1', 'bg-series-2', 'bg-series-3', 'bg-series-4', 'bg-series-5'] as const

/** More colours than these are hard to tell apart. */
export const maxSeries = 5

export const withColours = (series: readonly Series[]): ColouredSeries[] =>
  series.map((one, index) => ({ colour: index % maxSeries, ...one }))

/** The sum of all series at a place. */
export const sumAt = (series: readonly Series[], at: number): number =>
  series.reduce((sum, { values }) => sum + (values[at] ?? 0), 0)

/** The highest value that a chart shows; 0 without any. */
export function highestValue(series: readonly Series[], kind: ChartKind, before: readonly number[] = []): number {
  const count = series[0]?.values.length ?? 0
  const heights =
    kind === 'stacked'
      ? Array.from({ length: count }, (_, at) => sumAt(series, at))
      : series.flatMap(({ values }) => values.map((value) => value ?? 0))
  return [...heights, ...before].reduce((highest, value) => Math.max(highest, value), 0)
}

/**
 * Chooses the places that get a label on the time axis: evenly spaced, and as many as fit.
 *
 * @param most at least 1
 */
export function labelledPlaces(count: number, most: number): number[] {
  const step = Math.max(1, Math.ceil(count / most))
  return Array.from({ length: Math.ceil(count / step) }, (_, index) => index * step)
}

/** The place after a key was pressed; undefined for other keys. */
export function placeAfterKey(key: string, place: number, count: number): number | undefined {
  const places: Readonly<Record<string, number>> = {
    ArrowLeft: place - 1,
    ArrowDown: place - 1,
    ArrowRight: place + 1,
    ArrowUp: place + 1,
    PageDown: place - 7,
    PageUp: place + 7,
    Home: 0,
    End: count - 1
  }
  const next = places[key]
  return next === undefined ? undefined : Math.max(0, Math.min(count - 1, next))
}

export interface ChartProps {
  /** Describes the chart to screen readers, with its main numbers. */
  readonly label: string
  /** One name per place on the time axis. */
  readonly names: readonly string[]
  /** At most five, in this order from bottom to top, or from left to right. */
  readonly series: readonly Series[]
  readonly kind?: ChartKind
  readonly format: (value: number) => string
  /** Whether the values are counts, such as requests: the axis then has whole numbers only. */
  readonly isCount?: boolean
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
