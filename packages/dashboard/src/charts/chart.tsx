import { Toggle } from '@base-ui/react/toggle'
import { ToggleGroup } from '@base-ui/react/toggle-group'
import { useQuery } from '@tanstack/react-query'
import { type RefObject, useEffect, useRef, useState } from 'react'
import { loadCode } from '../api/load-code.ts'
import { QueryView } from '../ui/states.tsx'
import { type ChartProps, type ColouredSeries, swatches, withColours } from './series.ts'

interface LegendProps {
  readonly series: readonly ColouredSeries[]
  readonly hidden: ReadonlySet<string>
  readonly onChange: (hidden: ReadonlySet<string>) => void
}

/** The name of a series in the group. An id may be empty, and an empty name would be none. */
const nameOf = (id: string) => `series ${id}`

/** Buttons that hide and show series. Hiding the last one shows all. */
function Legend({ series, hidden, onChange }: LegendProps) {
  const ids = series.map(({ id }) => id)
  // Hidden series that are not in this report stay hidden.
  const elsewhere = [...hidden].filter((id) => !ids.includes(id))
  return (
    <ToggleGroup
      multiple
      aria-label="Shown in the chart"
      value={ids.filter((id) => !hidden.has(id)).map(nameOf)}
      onValueChange={(names) => {
        const next = ids.filter((id) => !names.includes(nameOf(id)))
        onChange(new Set(names.length === 0 ? [] : [...elsewhere, ...next]))
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

/** The code that draws is larger than most pages, so it is loaded when the first chart comes into view. */
const loadView = {
  queryKey: ['chart view'],
  queryFn: () => loadCode(() => import('./chart-view.tsx')),
  staleTime: Infinity
}

/** A chart over time, with a legend that hides series. A `ChartTable` below has all of its numbers. */
export function Chart({ series: all, hidden: hiddenByPage, onHide, kind = 'stacked', ...rest }: ChartProps) {
  const [own, setOwn] = useState<ReadonlySet<string>>(new Set())
  const place = useRef<HTMLDivElement>(null)
  const isSeen = useSeen(place)
  const code = useQuery({ ...loadView, enabled: isSeen })
  const hidden = hiddenByPage ?? own
  const series = withColours(all)
  // An address may hide every series that there is now.
  const isNothingLeft = series.every(({ id }) => hidden.has(id))
  const visible = series.filter(({ id }) => isNothingLeft || !hidden.has(id))
  return (
    <figure aria-label={rest.label} className="min-w-0">
      {(series.length > 1 || rest.before !== undefined) && (
        <div className="mb-3 flex flex-wrap items-center gap-x-4 gap-y-1">
          {series.length > 1 && (
            <Legend series={series} hidden={isNothingLeft ? new Set() : hidden} onChange={onHide ?? setOwn} />
          )}
          {rest.before !== undefined && (
            <span className="flex items-center gap-1.5 text-[0.8125rem] text-ink-soft">
              <span aria-hidden="true" className="w-5 border-t-2 border-dashed border-ink" />
              Range before
            </span>
          )}
        </div>
      )}
      {/* The height of the chart, so that nothing moves when its code arrives. */}
      <div ref={place} className="min-h-64">
        <QueryView query={code} lines={7} hasFinalHeight>
          {({ ChartView }) => <ChartView {...rest} kind={kind} series={visible} />}
        </QueryView>
      </div>
    </figure>
  )
}

/** Whether an element has been in view. */
function useSeen(element: RefObject<HTMLElement | null>): boolean {
  const [isSeen, setSeen] = useState(false)
  useEffect(() => {
    if (isSeen || element.current === null) return
    const observer = new IntersectionObserver((entries) => {
      if (entries.some(({ isIntersecting }) => isIntersecting)) setSeen(true)
    })
    observer.observe(element.current)
    return () => observer.disconnect()
  }, [element, isSeen])
  return isSeen
}
