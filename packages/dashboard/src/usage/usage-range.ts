export const ranges = [
  ['day', '24 hours'],
  ['week', '7 days'],
  ['month', '30 days'],
  ['quarter', '90 days']
] as const
export type RangeName = (typeof ranges)[number][0]

const dayMs = 86_400_000
const hourMs = 3_600_000
const lengths: Record<RangeName, number> = { day: dayMs, week: 7 * dayMs, month: 30 * dayMs, quarter: 90 * dayMs }

export interface UsageRange {
  readonly from: Date
  readonly to: Date
  readonly interval: 'hour' | 'day'
}

/**
 * A range from the start of a UTC hour or day to the end of the current hour. Each bar then covers a whole hour or day, and
 * the query stays the same for an hour.
 */
export function usageRange(name: RangeName, now: Date): UsageRange {
  const interval = name === 'day' ? 'hour' : 'day'
  const to = (Math.floor(now.getTime() / hourMs) + 1) * hourMs
  const step = interval === 'hour' ? hourMs : dayMs
  // The range includes the current hour or day.
  const from = Math.ceil((to - lengths[name]) / step) * step
  return { from: new Date(from), to: new Date(to), interval }
}
