import { Tooltip } from '@base-ui/react/tooltip'
import { formatMoment } from '../format/time.ts'

/** The tooltip of a `Moment`. It is open while it is rendered. */
export function ExactTime({ moment }: { readonly moment: HTMLTimeElement }) {
  return (
    <Tooltip.Root open>
      <Tooltip.Portal>
        <Tooltip.Positioner anchor={moment} sideOffset={6} className="z-60">
          <Tooltip.Popup
            data-moment-tooltip
            className="rounded-lg border border-line bg-raised px-2.5 py-1.5 text-[0.8125rem] shadow-popup"
          >
            {formatMoment(new Date(moment.dateTime))}
          </Tooltip.Popup>
        </Tooltip.Positioner>
      </Tooltip.Portal>
    </Tooltip.Root>
  )
}
