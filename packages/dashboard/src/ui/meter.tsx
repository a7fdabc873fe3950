type MeterProps = {
  readonly label: string
  /** In words, for those who do not see the bar. */
  readonly description: string
  readonly used: number
  /** What comes on top of what is used, and may still fall away. */
  readonly reserved: number
  readonly limit: number
}

const share = (part: number, whole: number): number => (whole <= 0 ? 0 : Math.min(100, (100 * part) / whole))

/** A bar of what is used of a limit, with the reserved part hatched. */
export function Meter({ label, description, used, reserved, limit }: MeterProps) {
  const usedShare = share(used, limit)
  const reservedShare = Math.min(100 - usedShare, share(reserved, limit))
  const color = usedShare >= 90 ? 'bg-danger' : usedShare >= 75 ? 'bg-warning' : 'bg-accent'
  return (
    <div
      role="meter"
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={100}
      aria-valuenow={Math.round(usedShare)}
      aria-valuetext={description}
      className="flex h-3 gap-px overflow-hidden rounded-full bg-sunken"
    >
      <div className={`${color} min-w-px transition-[width]`} style={{ width: `${usedShare}%` }} />
      <div className={`${color} opacity-45`} style={{ width: `${reservedShare}%` }} />
    </div>
  )
}
