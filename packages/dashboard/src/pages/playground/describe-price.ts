import { formatUsd } from '../../format/money.ts'
import type { Account } from '../../layout/caller.ts'

/** The prices of a model in one line: `$0.15 input, $0.60 output per million tokens`. */
export function describePrice({ usd_per_million_tokens: usd }: Account['models'][number]): string {
  return `${formatUsd(usd.input)} input, ${formatUsd(usd.output)} output per million tokens`
}
