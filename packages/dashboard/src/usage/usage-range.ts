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

export type UsageRange = { readonly from: Date; readonly to: Date; readonly interval: 'hour' | 'day' }

/**
 * From the beginning of an hour or a day (UTC) to the end of the present hour, so that each bar is a whole one and the same
 * question is asked for an hour.
 */
export function usageRange(name: RangeName, now: Date): UsageRange {
  const interval = name === 'day' ? 'hour' : 'day'
  const to = (Math.floor(now.getTime() / hourMs) + 1) * hourMs
  const step = interval === 'hour' ? hourMs : dayMs
  // The present hour or day is one of them.
  const from = Math.ceil((to - lengths[name]) / step) * step
  return { from: new Date(from), to: new Date(to), interval }
}
