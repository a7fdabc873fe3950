import { useId } from 'react'
import { controlLook } from '../../ui/control-look.ts'
import { LateSearchField } from '../../ui/search-field.tsx'
import { useLateText } from '../../ui/use-late-text.ts'
import { type KeysSearch, readTag } from './keys-search.ts'

interface KeyFiltersProps {
  readonly search: KeysSearch
  readonly onChange: (changed: KeysSearch) => void
}

/** Filters, kept in the address. */
export function KeyFilters({ search, onChange }: KeyFiltersProps) {
  return (
    <search className="flex flex-wrap items-center gap-3">
      <LateSearchField
        label="Search keys"
        placeholder="Search by label, tag or first characters"
        text={search.q ?? ''}
        onChange={(q) => onChange({ q })}
      />
      <TagFilter tag={search.tag ?? ''} onChange={(tag) => onChange({ tag })} />
      <label className="flex min-h-10 items-center gap-2 text-sm">
        <input
          type="checkbox"
          checked={search.revoked === '1'}
          onChange={(event) => onChange({ revoked: event.currentTarget.checked ? '1' : '' })}
          className="size-4 accent-accent"
        />
        Show revoked keys
      </label>
    </search>
  )
}

function TagFilter({ tag, onChange }: { readonly tag: string; readonly onChange: (tag: string) => void }) {
  const [typed, setTyped] = useLateText(tag, onChange)
  const problem = useId()
  const isUnclear = typed.trim() !== '' && readTag(typed) === null
  return (
    <>
      <input
        aria-label="Filter by a tag, as name=value"
        placeholder="tenant=acme"
        maxLength={600}
        value={typed}
        onChange={(event) => setTyped(event.currentTarget.value)}
        aria-invalid={isUnclear}
        aria-describedby={isUnclear ? problem : undefined}
        className={`${controlLook} h-10 min-w-0 flex-1 basis-40 font-mono text-sm sm:max-w-60`}
      />
      {isUnclear && (
        <p id={problem} className="order-last basis-full text-[0.8125rem] text-danger">
          To filter by a tag, type its name and its value, such as tenant=acme.
        </p>
      )}
    </>
  )
}
