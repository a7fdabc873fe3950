const maxIntervals = 3
const factors = [1, 2, 2.5, 5, 10]

/**
 * Evenly spaced, round tick values for a chart's axis, from zero to at least the highest value.
 *
 * @param highest not negative
 */
export function axisTicks(highest: number): number[] {
  if (!(highest > 0)) return [0, 1]
  const rough = highest / maxIntervals
  const power = 10 ** Math.floor(Math.log10(rough))
  const factor = factors.find((candidate) => candidate * power >= rough) ?? 10
  const step = factor * power
  const count = Math.ceil(highest / step - 1e-9)
  return Array.from({ length: count + 1 }, (_, number) => number * step)
}
