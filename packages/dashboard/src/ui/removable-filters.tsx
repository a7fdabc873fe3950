import { X } from 'lucide-react'

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
