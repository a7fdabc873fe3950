import { SlidersHorizontal, X } from 'lucide-react'
import { type ReactNode, useEffect, useId, useRef, useState } from 'react'
import { Button } from './button.tsx'
import { controlLook } from './class-names.ts'

interface FilterPanelProps {
  /** How many filters are set. */
  readonly count: number
  readonly onClear: () => void
  readonly children: ReactNode
}

/** The filters of a list. A phone shows them behind a button, because they would fill its screen. */
export function FilterPanel({ count, onClear, children }: FilterPanelProps) {
  const [isOpen, setOpen] = useState(false)
  const id = useId()
  const panel = useRef<HTMLDivElement>(null)
  return (
    <search className="space-y-3">
      <Button aria-expanded={isOpen} aria-controls={id} onClick={() => setOpen(!isOpen)} className="w-full sm:hidden">
        <SlidersHorizontal aria-hidden="true" className="size-4" />
        {count === 0 ? 'Filters' : `Filters (${count})`}
      </Button>
      <div
        id={id}
        ref={panel}
        tabIndex={-1}
        className={`${isOpen ? 'flex' : 'hidden sm:flex'} flex-wrap items-start gap-3 outline-none`}
      >
        {children}
        {count > 0 && (
          <Button
            tone="quiet"
            onClick={() => {
              onClear()
              // The button goes away.
              panel.current?.focus()
            }}
          >
            Clear all
          </Button>
        )}
      </div>
    </search>
  )
}

interface FilterInputProps {
  readonly label: string
  readonly type: 'text' | 'date'
  readonly value: string
  readonly onChange: (value: string) => void
  /** The value of a typed text; null if the text cannot be read. Default: the text itself. */
  readonly read?: (text: string) => string | null
  /** What to type instead of a text that cannot be read. */
  readonly problem?: string
}

/** A value to filter by. It applies when the reader leaves the field or presses Enter. */
export function FilterInput({ label, type, value, onChange, read = (text) => text, problem }: FilterInputProps) {
  const field = useRef<HTMLInputElement>(null)
  const problemId = useId()
  /** The value for which another text was refused. A change of the address clears it. */
  const [refusedAt, setRefusedAt] = useState<string | null>(null)
  const isRefused = refusedAt === value || (value !== '' && read(value) === null)
  useEffect(() => {
    // The address changed by itself, such as by going back.
    if (field.current !== null) field.current.value = value
  }, [value])
  const apply = (input: HTMLInputElement) => {
    const text = input.value.trim()
    const applied = text === '' ? '' : read(text)
    setRefusedAt(applied === null ? value : null)
    if (applied === null) return
    input.value = applied
    if (applied !== value) onChange(applied)
  }
  const input = (
    <input
      ref={field}
      type={type}
      aria-label={label}
      placeholder={label}
      defaultValue={value}
      aria-invalid={isRefused}
      aria-describedby={isRefused ? problemId : undefined}
      onBlur={(event) => apply(event.currentTarget)}
      onKeyDown={(event) => {
        if (event.key === 'Enter') apply(event.currentTarget)
      }}
      className={`${controlLook} h-10 min-w-0 text-sm`}
    />
  )
  // A date has no place for a placeholder.
  return type === 'text' ? (
    <div className="min-w-0 flex-1 basis-40 sm:max-w-64">
      {input}
      {isRefused && (
        <p id={problemId} role="alert" className="mt-1.5 text-[0.8125rem] text-danger">
          {problem}
        </p>
      )}
    </div>
  ) : (
    <span className="flex min-w-0 flex-1 basis-64 items-center gap-2 text-sm sm:max-w-80">
      <span aria-hidden="true" className="shrink-0 text-ink-soft">
        {label}
      </span>
      {input}
    </span>
  )
}

interface RemovableFiltersProps<Name extends string> {
  readonly filters: ReadonlyArray<readonly [name: Name, text: string]>
  readonly onRemove: (name: Name) => void
}

/** Filters that have no field, because another page set them. Each can be removed. */
export function RemovableFilters<Name extends string>({ filters, onRemove }: RemovableFiltersProps<Name>) {
  if (filters.length === 0) return null
  return (
    <ul aria-label="More filters" className="flex w-full flex-wrap gap-2">
      {filters.map(([name, text]) => (
        <li key={name} className="flex max-w-full items-center gap-1 rounded-lg bg-sunken pl-3 text-[0.8125rem]">
          <span className="truncate">{text}</span>
          <button
            type="button"
            aria-label={`Remove filter: ${text}`}
            onClick={() => onRemove(name)}
            className="grid size-8 shrink-0 place-items-center rounded-md text-ink-soft hover:text-ink"
          >
            <X aria-hidden="true" className="size-3.5" />
          </button>
        </li>
      ))}
    </ul>
  )
}
