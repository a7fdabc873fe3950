import { swatches } from './look.ts'
import { maxSeries, type Series } from './series.ts'

interface LegendProps {
  readonly series: readonly Series[]
  readonly hidden: ReadonlySet<string>
  readonly onChange: (hidden: ReadonlySet<string>) => void
}

/** Buttons that hide and show series. At least one series stays visible. */
export function Legend({ series, hidden, onChange }: LegendProps) {
  const visible = series.filter(({ id }) => !hidden.has(id))
  const toggle = (id: string) => {
    const next = new Set(hidden)
    if (!next.delete(id)) next.add(id)
    onChange(visible.length === 1 && visible[0]?.id === id ? new Set() : next)
  }
  return (
    <fieldset className="flex min-w-0 flex-wrap gap-1">
      <legend className="sr-only">Shown in the chart</legend>
      {series.map(({ id, name }, index) => (
        <button
          key={id}
          type="button"
          aria-pressed={!hidden.has(id)}
          onClick={() => toggle(id)}
          className="group flex min-h-8 max-w-full items-center gap-1.5 rounded-md px-2 text-[0.8125rem] text-ink-soft hover:bg-sunken hover:text-ink"
        >
          <span
            aria-hidden="true"
            className={`size-2.5 shrink-0 rounded-sm group-aria-[pressed=false]:opacity-25 ${swatches[index % maxSeries]}`}
          />
          <span className="truncate group-aria-[pressed=false]:line-through">{name}</span>
        </button>
      ))}
    </fieldset>
  )
}
