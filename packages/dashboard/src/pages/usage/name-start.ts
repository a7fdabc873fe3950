import type { Interval } from '../../usage/usage-range.ts'

const utc = { timeZone: 'UTC' } as const
const forms: Readonly<Record<Interval, Intl.DateTimeFormat>> = {
  hour: new Intl.DateTimeFormat('en-US', {
    ...{ month: 'short', day: 'numeric', hour: '2-digit', minute: '2-digit', hourCycle: 'h23' },
    ...utc
  }),
  day: new Intl.DateTimeFormat('en-US', { month: 'short', day: 'numeric', ...utc }),
  month: new Intl.DateTimeFormat('en-US', { month: 'short', year: 'numeric', ...utc })
}

/** Names the hour, day or month (UTC) of a bar. */
export const nameStart = (start: string, interval: Interval): string => forms[interval].format(new Date(start))

export const intervalNames: Readonly<Record<Interval, string>> = {
  hour: 'Hour (UTC)',
  day: 'Day (UTC)',
  month: 'Month (UTC)'
}
