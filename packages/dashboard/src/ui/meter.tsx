import { Meter as Base } from '@base-ui/react/meter'

interface MeterProps {
  readonly label: string
  /** The values in words, for screen readers. */
  readonly description: string
  readonly used: number
  /** The amount on top of `used` that is only reserved so far. */
  readonly reserved: number
  readonly limit: number
}

const share = (part: number, whole: number): number =>
  whole <= 0 ? 0 : Math.max(0, Math.min(100, (100 * part) / whole))

/** A bar that shows the used part of a limit, and the reserved part in a paler colour. */
export function Meter({ label, description, used, reserved, limit }: MeterProps) {
  const usedShare = share(used, limit)
  const reservedShare = Math.min(100 - usedShare, share(reserved, limit))
  const color = usedShare >= 90 ? 'bg-danger' : usedShare >= 75 ? 'bg-warning' : 'bg-accent'
  return (
    <Base.Root
      aria-label={label}
      aria-valuetext={description}
      max={Math.max(limit, 1e-9)}
      value={Math.max(0, Math.min(used, limit))}
    >
      <Base.Track className="flex h-3 gap-px overflow-hidden rounded-full bg-sunken">
        <Base.Indicator className={`${color} shrink-0 transition-[width] ${used > 0 ? 'min-w-px' : ''}`} />
        <div className={`${color} opacity-45`} style={{ width: `${reservedShare}%` }} />
      </Base.Track>
    </Base.Root>
  )
}
