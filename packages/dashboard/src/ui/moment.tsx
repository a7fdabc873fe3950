import { formatMoment, formatRelative } from '../format/time.ts'

/** A time relative to now, with the exact time as a tooltip. */
export function Moment({ at }: { readonly at: string }) {
  const date = new Date(at)
  return (
    <time dateTime={at} title={formatMoment(date)} className="whitespace-nowrap">
      {formatRelative(date, new Date())}
    </time>
  )
}
