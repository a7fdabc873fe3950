import { now } from '../api/clock.ts'
import { formatRelative } from '../format/time.ts'

/** A time relative to now. `MomentTooltip` shows the exact time on hover and focus. */
export function Moment({ at }: { readonly at: string }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: the exact time must be reachable by keyboard
    <time data-moment dateTime={at} tabIndex={0} className="rounded whitespace-nowrap">
      {formatRelative(new Date(at), now())}
    </time>
  )
}
