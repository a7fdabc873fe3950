const seconds = { s: 1, m: 60, h: 3600 } as const
const duration = /(?<before>(?:\bfor: |\[|\boffset ))(?<amount>\d+)(?<unit>[smh])\b/g

/**
 * Divides every duration of rules by one factor: `for`, the windows of expressions, and `offset`. Thresholds stay.
 *
 * @param text a rules file of Prometheus
 */
export function shortenRules(text: string, factor: number): string {
  return text.replaceAll(duration, (_, before: string, amount: string, unit: keyof typeof seconds) => {
    const ms = Math.round((Number(amount) * seconds[unit] * 1000) / factor)
    return `${before}${ms}ms`
  })
}
