type MeterProps = {
  readonly label: string
  /** In words, for who does not see the bar. */
  readonly description: string
  readonly used: number
  /** What comes on top of what is used, and may still fall away. */
  readonly reserved: number
  readonly limit: number
}

const share = (part: number, whole: number): number =>
  whole <= 0 ? 0 : Math.max(0, Math.min(100, (100 * part) / whole))

/** A bar of what is used of a limit, with the reserved part paler. */
export function Meter({ label, description, used, reserved, limit }: MeterProps) {
  const usedShare = share(used, limit)
  const reservedShare = Math.min(100 - usedShare, share(reserved, limit))
  const color = usedShare >= 90 ? 'bg-danger' : usedShare >= 75 ? 'bg-warning' : 'bg-accent'
  return (
    <>
      <meter
        aria-label={label}
        min={0}
        max={Math.max(limit, 1e-9)}
        value={Math.max(0, Math.min(used, limit))}
        className="sr-only"
      >
        {description}
      </meter>
      <div aria-hidden="true" className="flex h-3 gap-px overflow-hidden rounded-full bg-sunken">
        <div className={`${color} min-w-px transition-[width]`} style={{ width: `${usedShare}%` }} />
        <div className={`${color} opacity-45`} style={{ width: `${reservedShare}%` }} />
      </div>
    </>
  )
}
