import { Tooltip } from '@base-ui/react/tooltip'

/** Links each time of a page to the one tooltip. */
export const momentTooltip = Tooltip.createHandle<string>()

/** Shows the exact time of the `Moment` under the pointer or with the focus. */
export function MomentTooltip() {
  return (
    <Tooltip.Root handle={momentTooltip}>
      {({ payload }) => (
        <Tooltip.Portal>
          <Tooltip.Positioner sideOffset={6} className="z-60">
            <Tooltip.Popup className="rounded-lg border border-line bg-raised px-2.5 py-1.5 text-[0.8125rem] shadow-popup">
              {payload}
            </Tooltip.Popup>
          </Tooltip.Positioner>
        </Tooltip.Portal>
      )}
    </Tooltip.Root>
  )
}
