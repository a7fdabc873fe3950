import { Toggle } from '@base-ui/react/toggle'
import { ToggleGroup } from '@base-ui/react/toggle-group'
import { swatches } from './look.ts'
import type { ColouredSeries } from './series.ts'

interface LegendProps {
  readonly series: readonly ColouredSeries[]
  readonly hidden: ReadonlySet<string>
  readonly onChange: (hidden: ReadonlySet<string>) => void
}

/** The name of a series in the group. An id may be empty, and an empty name would be none. */
const nameOf = (id: string) => `series ${id}`

/** Buttons that hide and show series. Hiding the last one shows all. */
export function Legend({ series, hidden, onChange }: LegendProps) {
  const ids = series.map(({ id }) => id)
  // Hidden series that are not in this report stay hidden.
  const elsewhere = [...hidden].filter((id) => !ids.includes(id))
  return (
    <ToggleGroup
      multiple
      aria-label="Shown in the chart"
      value={ids.filter((id) => !hidden.has(id)).map(nameOf)}
      onValueChange={(shown) => {
        const next = ids.filter((id) => !shown.includes(nameOf(id)))
        onChange(new Set(shown.length === 0 ? [] : [...elsewhere, ...next]))
      }}
      className="flex min-w-0 flex-wrap gap-1"
    >
      {series.map(({ id, name, colour }) => (
        <Toggle
          key={id}
          value={nameOf(id)}
          className="group flex min-h-8 max-w-full items-center gap-1.5 rounded-md px-2 text-[0.8125rem] text-ink-soft hover:bg-sunken hover:text-ink"
        >
          <span
            aria-hidden="true"
            className={`size-2.5 shrink-0 rounded-sm group-aria-[pressed=false]:opacity-25 ${swatches[colour]}`}
          />
          <span className="truncate group-aria-[pressed=false]:line-through">{name}</span>
        </Toggle>
      ))}
    </ToggleGroup>
  )
}
