import { formatUsd } from '../../format/money.ts'
import { formatCompact, formatCount } from '../../format/number.ts'
import { formatShare } from '../../format/ratio.ts'
import { describeChange } from '../../usage/compare.ts'
import type { Sums } from '../../usage/sum-usage.ts'

interface FiguresProps {
  readonly sums: Sums
  /** How many requests were refused; null if that is not known, for instance of one model. */
  readonly refused: number | null
  /** The sums of the range before, and the name of its days; undefined if it is not compared, or not loaded yet. */
  readonly before: { readonly sums: Sums; readonly days: string } | undefined
}

/** The sums of the range, and how they have changed. */
export function Figures({ sums, refused, before }: FiguresProps) {
  const tokens = ({ promptTokens, completionTokens }: Sums) => promptTokens + completionTokens
  const errorRate = sums.requests === 0 ? '' : ` (${formatShare(sums.errors / sums.requests)})`
  const figures = [
    ['Cost', formatUsd(sums.costUsd), ({ costUsd }: Sums) => costUsd],
    ['Tokens', formatCompact(tokens(sums)), tokens],
    ['Requests', formatCount(sums.requests), ({ requests }: Sums) => requests],
    ['Errors', `${formatCount(sums.errors)}${errorRate}`, ({ errors }: Sums) => errors],
    ...(refused === null ? [] : [['Refused', formatCount(refused), null] as const])
  ] as const
  return (
    <dl className="grid grid-cols-2 gap-4 sm:grid-cols-[repeat(auto-fit,minmax(8rem,1fr))]">
      {figures.map(([name, value, of]) => (
        <div key={name} className="rounded-2xl border border-line bg-surface px-4 py-3 shadow-card">
          <dt className="text-[0.8125rem] text-ink-soft">{name}</dt>
          <dd className="text-xl font-semibold tracking-tight tabular-nums">{value}</dd>
          {before !== undefined && of !== null && (
            <dd className="text-[0.8125rem] text-ink-soft tabular-nums">
              {describeChange(of(sums), of(before.sums)) || 'no change'} vs {before.days}
            </dd>
          )}
        </div>
      ))}
    </dl>
  )
}
