import { formatCount } from '../../format/number.ts'
import { Meter } from '../../ui/meter.tsx'

interface LimitBarProps {
  readonly title: string
  /** The limit in words. */
  readonly limit: string
  /** Null while it is not known, or without a limit. */
  readonly left: number | null
  readonly max: number
  readonly unit: string
  readonly note: string
  readonly format?: (value: number) => string
}

/** A limit with a bar of what is used of it. */
export function LimitBar({ title, limit, left, max, unit, note, format = formatCount }: LimitBarProps) {
  return (
    <li>
      <p className="flex justify-between gap-3 text-sm font-medium">
        <span>{title}</span>
        <span className="tabular-nums">{limit}</span>
      </p>
      {left !== null && (
        <>
          <div className="mt-2">
            <Meter
              label={title}
              description={`${format(left)} ${unit}, of ${format(max)}`}
              used={max - left}
              reserved={0}
              limit={max}
            />
          </div>
          <p className="mt-2 text-sm tabular-nums">
            {format(left)} {unit}
          </p>
        </>
      )}
      <p className="mt-1 text-[0.8125rem] text-ink-soft">{note}</p>
    </li>
  )
}
