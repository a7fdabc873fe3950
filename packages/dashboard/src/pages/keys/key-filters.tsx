import { useId, useState } from 'react'
import { controlLook } from '../../ui/control-look.ts'
import { SearchField } from '../../ui/search-field.tsx'

export interface KeyFilter {
  readonly text: string
  readonly metadata: readonly [string, string] | null
  readonly withRevoked: boolean
}

export const noFilter: KeyFilter = { text: '', metadata: null, withRevoked: false }
export const isFiltered = ({ text, metadata }: KeyFilter): boolean => text.trim() !== '' || metadata !== null

/** Reads `tenant=acme` as a pair; null for any other text. */
function readPair(text: string): readonly [string, string] | null {
  const [, name, value] = /^\s*([A-Za-z0-9_.-]{1,40})\s*=\s*(.+?)\s*$/.exec(text) ?? []
  return name === undefined || value === undefined ? null : [name, value]
}

export function KeyFilters({ filter, onChange }: { filter: KeyFilter; onChange: (filter: KeyFilter) => void }) {
  const [pair, setPair] = useState('')
  const problem = useId()
  const isUnclear = pair.trim() !== '' && readPair(pair) === null
  return (
    <search className="flex flex-wrap items-center gap-3">
      <SearchField
        label="Search keys"
        placeholder="Search by label, tag or first characters"
        text={filter.text}
        onChange={(text) => onChange({ ...filter, text })}
      />
      <input
        aria-label="Filter by a tag, as name=value"
        placeholder="tenant=acme"
        value={pair}
        onChange={(event) => {
          const { value } = event.currentTarget
          setPair(value)
          onChange({ ...filter, metadata: readPair(value) })
        }}
        aria-invalid={isUnclear}
        aria-describedby={isUnclear ? problem : undefined}
        className={`${controlLook} h-10 min-w-0 flex-1 basis-40 font-mono text-sm sm:max-w-60`}
      />
      <label className="flex min-h-10 items-center gap-2 text-sm">
        <input
          type="checkbox"
          checked={filter.withRevoked}
          onChange={(event) => onChange({ ...filter, withRevoked: event.currentTarget.checked })}
          className="size-4 accent-accent"
        />
        Show revoked keys
      </label>
      {isUnclear && (
        <p id={problem} className="basis-full text-[0.8125rem] text-danger">
          To filter by a tag, type its name and its value, such as tenant=acme.
        </p>
      )}
    </search>
  )
}
