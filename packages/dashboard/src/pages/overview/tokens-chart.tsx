import { BarChart } from '../../charts/bar-chart.tsx'
import { formatCompact, formatCount } from '../../format/number.ts'
import { type Bucket, startsBetween, sumUsage } from '../../usage/sum-usage.ts'

const dayName = new Intl.DateTimeFormat('en-US', { month: 'short', day: 'numeric', timeZone: 'UTC' })

/** Tokens of each day (UTC), those of prompts and of answers apart. */
export function TokensChart({ buckets, from, to }: { buckets: readonly Bucket[]; from: Date; to: Date }) {
  const starts = startsBetween(from, to, 'day')
  const byStart = new Map(buckets.map((bucket) => [new Date(bucket.start).toISOString(), bucket]))
  const days = starts.map((start) => byStart.get(start))
  const { promptTokens, completionTokens } = sumUsage(buckets)
  return (
    <BarChart
      label={`Tokens a day: ${formatCount(promptTokens)} of prompts and ${formatCount(completionTokens)} of answers this month`}
      names={starts.map((start) => dayName.format(new Date(start)))}
      series={[
        { name: 'Prompts', values: days.map((day) => day?.prompt_tokens ?? 0) },
        { name: 'Answers', values: days.map((day) => day?.completion_tokens ?? 0) }
      ]}
      format={formatCompact}
    />
  )
}
