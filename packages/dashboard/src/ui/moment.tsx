import { Tooltip } from '@base-ui/react/tooltip'
import { formatMoment, formatRelative } from '../format/time.ts'
import { momentTooltip } from './moment-tooltip.tsx'

/** A time relative to now. The exact time appears on hover and focus. */
export function Moment({ at }: { readonly at: string }) {
  const date = new Date(at)
  return (
    <Tooltip.Trigger
      handle={momentTooltip}
      payload={formatMoment(date)}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: the exact time must be reachable by keyboard
      render={<time dateTime={at} tabIndex={0} />}
      className="rounded whitespace-nowrap"
    >
      {formatRelative(date, new Date())}
    </Tooltip.Trigger>
  )
}
