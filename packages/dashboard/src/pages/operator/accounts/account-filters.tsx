import { Search } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { controlLook } from '../../../forms/fields.tsx'
import { Segments } from '../../../ui/segments.tsx'
import { usePlans } from '../plans.ts'
import type { AccountsSearch } from './accounts-search.ts'

const orders = [
  ['spend', 'Highest spend'],
  ['created', 'Newest']
] as const

interface AccountFiltersProps {
  readonly search: AccountsSearch
  readonly onChange: (changed: AccountsSearch) => void
}

export function AccountFilters({ search, onChange }: AccountFiltersProps) {
  const plans = usePlans(search.plan)
  return (
    <search className="flex flex-wrap items-center gap-3">
      <SearchField text={search.q ?? ''} onSearch={(q) => onChange({ q })} />
      <Choice
        label="Plan"
        value={search.plan ?? ''}
        options={[['', 'All plans'], ...plans]}
        onChange={(plan) => onChange({ plan })}
      />
      <Choice
        label="Status"
        value={search.status ?? ''}
        options={[
          ['', 'Any status'],
          ['active', 'Active'],
          ['suspended', 'Suspended']
        ]}
        onChange={(status) => onChange({ status })}
      />
      <label className="flex min-h-10 items-center gap-2 text-sm">
        <input
          type="checkbox"
          checked={search.past_due === 'true'}
          onChange={(event) => onChange({ past_due: event.currentTarget.checked ? 'true' : '' })}
          className="size-4 accent-accent"
        />
        Past due only
      </label>
      <Segments
        legend="Sort by"
        options={orders}
        value={search.sort === 'created' ? 'created' : 'spend'}
        onChange={(sort) => onChange({ sort: sort === 'created' ? sort : '' })}
      />
    </search>
  )
}

interface ChoiceProps {
  readonly label: string
  readonly value: string
  readonly options: ReadonlyArray<readonly [value: string, text: string]>
  readonly onChange: (value: string) => void
}

function Choice({ label, value, options, onChange }: ChoiceProps) {
  return (
    <select
      aria-label={label}
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
      className={`${controlLook} h-10 min-w-0 flex-1 basis-32 text-sm sm:max-w-44`}
    >
      {options.map(([option, text]) => (
        <option key={option} value={option}>
          {text}
        </option>
      ))}
    </select>
  )
}

/** Searches shortly after the last key, so that not every letter asks the API. */
const typingMs = 300

function SearchField({ text, onSearch }: { readonly text: string; readonly onSearch: (text: string) => void }) {
  const [typed, setTyped] = useState(text)
  const searched = useRef(text)
  const search = useRef(onSearch)
  search.current = onSearch
  useEffect(() => {
    // The address changed by itself, such as by going back.
    if (text === searched.current) return
    searched.current = text
    setTyped(text)
  }, [text])
  useEffect(() => {
    if (typed === searched.current) return
    const timer = setTimeout(() => {
      searched.current = typed
      search.current(typed)
    }, typingMs)
    return () => clearTimeout(timer)
  }, [typed])
  return (
    <div className="relative min-w-0 flex-1 basis-full sm:basis-72">
      <Search aria-hidden="true" className="pointer-events-none absolute top-3 left-3 size-4 text-ink-soft" />
      <input
        type="search"
        aria-label="Search accounts"
        placeholder="Address, id, key id or metadata"
        maxLength={200}
        value={typed}
        onChange={(event) => setTyped(event.currentTarget.value)}
        className={`${controlLook} h-10 pl-9 text-sm`}
      />
    </div>
  )
}
