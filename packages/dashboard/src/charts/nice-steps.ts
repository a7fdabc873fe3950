const fewest = 3
const factors = [1, 2, 2.5, 5, 10]

/**
 * Values for the lines of a chart: from zero on, evenly, by numbers that people read easily, the last not below the
 * highest value.
 *
 * @param highest not negative
 */
export function niceSteps(highest: number): number[] {
  if (!(highest > 0)) return [0, 1]
  const rough = highest / fewest
  const power = 10 ** Math.floor(Math.log10(rough))
  const factor = factors.find((one) => one * power >= rough) ?? 10
  const step = factor * power
  const count = Math.ceil(highest / step - 1e-9)
  return Array.from({ length: count + 1 }, (_, number) => number * step)
}
