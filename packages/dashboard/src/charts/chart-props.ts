import type { ChartKind, Series } from './series.ts'

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
