import { chosenZone, formatInZone } from '../../format/time.ts'
import type { Interval } from '../../usage/usage-range.ts'

const utc = { timeZone: 'UTC' } as const
const day = new Intl.DateTimeFormat('en-US', { month: 'short', day: 'numeric', ...utc })
const month = new Intl.DateTimeFormat('en-US', { month: 'short', year: 'numeric', ...utc })
const forms: Readonly<Record<Interval, (start: Date) => string>> = {
  hour: formatInZone({ month: 'short', day: 'numeric', hour: '2-digit', minute: '2-digit', hourCycle: 'h23' }),
  day: (start) => day.format(start),
  month: (start) => month.format(start)
}

/** Names the hour of a bar in the chosen zone, or its day or month in UTC: the ledger has no parts of old days. */
export const nameStart = (start: string, interval: Interval): string => forms[interval](new Date(start))

const ownDay = formatInZone({ month: 'short', day: 'numeric' })

/** Names the first and the last day (or month) of a report, such as `Oct 1 – Oct 28`, in the zone of its bars. */
export function nameRange({ from, to, interval }: NamedRange): string {
  const name = interval === 'hour' ? ownDay : forms[interval]
  const [first, last] = [name(new Date(from)), name(new Date(new Date(to).getTime() - 1))]
  return first === last ? first : `${first} – ${last}`
}

interface NamedRange {
  readonly from: string
  /** Exclusive. */
  readonly to: string
  readonly interval: Interval
}

const intervalNames: Readonly<Record<Interval, string>> = { hour: 'Hour', day: 'Day', month: 'Month' }

/** The zone of the bars of an interval. */
export const zoneOfBars = (interval: Interval): string =>
  interval === 'hour' && chosenZone() === 'own' ? 'your time zone' : 'UTC'

/** Names an interval with the zone of its bars, such as `Day (UTC)`. */
export const nameInterval = (interval: Interval): string => `${intervalNames[interval]} (${zoneOfBars(interval)})`
