import { scaleLinear } from '@visx/scale'

/** About as many lines as this. */
const maxTicks = 4
/** px: of an axis with short labels, of a character of a label, and beside the label. */
const space = { least: 60, perCharacter: 7.2, gap: 12 }

export interface ValueAxis {
  /** The values with a line and a label, from 0 to the top of the axis. */
  readonly ticks: readonly number[]
  /** The space for the labels on its left, px. */
  readonly left: number
}

/**
 * The value axis of a chart, with room for its longest label.
 *
 * @param isWhole whether the values are counts: no label is then between two whole numbers
 */
export function valueAxis(highest: number, isWhole: boolean, format: (value: number) => string): ValueAxis {
  const scale = scaleLinear<number>({ domain: [0, highest || 1], nice: maxTicks })
  const ticks = scale.ticks(maxTicks).filter((value) => !isWhole || Number.isInteger(value))
  const longest = Math.max(0, ...ticks.map((value) => format(value).length))
  return { ticks, left: Math.max(space.least, Math.ceil(longest * space.perCharacter + space.gap)) }
}
