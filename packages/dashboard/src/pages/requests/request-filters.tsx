import type { ReactNode } from 'react'
import { isolate } from '../../format/visible-text.ts'
import { FilterInput, FilterPanel, RemovableFilters } from '../../ui/filter-panel.tsx'
import { Choice, type Option } from '../../ui/select-box.tsx'
import { isHour } from '../../usage/bounds-of-days.ts'
import { metadataPrefix } from '../../usage/group-usage.ts'
import { readFilters, readMs, readUsd, statusOptions } from './read-filters.ts'
import { metadataOf, type RequestsSearch } from './requests-search.ts'

type Reading = Pick<Parameters<typeof FilterInput>[0], 'read' | 'problem'>

const usd: Reading = { read: readUsd, problem: 'Enter dollars such as 5 or 0.05. Leave out separators of thousands.' }
const ms: Reading = { read: readMs, problem: 'Enter milliseconds such as 500, or seconds such as 2 s.' }

/** What the filters offer. */
export interface FilterChoices {
  /** Chooses a key by its id; empty for all keys. */
  readonly keys: (choice: { readonly value: string; readonly onChange: (id: string) => void }) => ReactNode
  /** The people who may have created keys; undefined until they are known. */
  readonly members: ReadonlyArray<{ readonly id: string; readonly email: string }> | undefined
  /** The ids of the models; null if they are not known, so that the reader types them. */
  readonly models: readonly string[] | null
}

interface RequestFiltersProps {
  readonly search: RequestsSearch
  readonly onSearch: (search: RequestsSearch) => void
  readonly choices: FilterChoices
}

/** Filters, kept in the address. */
export function RequestFilters({ search, onSearch, choices: { keys, members, models } }: RequestFiltersProps) {
  const hasLeft = members?.every(({ id }) => id !== search.member) === true
  const memberOptions = [
    ['', 'Everybody’s keys'] as const,
    ...(members ?? []).map(({ id, email }) => [id, email] as const),
    ...(search.member !== undefined && hasLeft ? [[search.member, 'Former member'] as const] : [])
  ]
  const apply = (name: keyof RequestsSearch, value: string) => onSearch({ ...search, [name]: value || undefined })
  const choice = (name: keyof RequestsSearch, label: string, options: readonly Option[]) => (
    <Choice label={label} value={search[name] ?? ''} options={options} onChange={(value) => apply(name, value)} />
  )
  const input = (name: keyof RequestsSearch, label: string, type: 'text' | 'date', reading: Reading = {}) => (
    <FilterInput
      label={label}
      type={isHour(search[name]) ? 'text' : type}
      value={search[name] ?? ''}
      onChange={(value) => apply(name, value)}
      {...reading}
    />
  )
  return (
    <FilterPanel count={Object.keys(readFilters(search)).length} onClear={() => onSearch({})}>
      <Tags search={search} onRemove={(name) => apply(name, '')} />
      {keys({ value: search.key ?? '', onChange: (id) => apply('key', id) })}
      {((members?.length ?? 0) > 1 || search.member !== undefined) && choice('member', 'Created by', memberOptions)}
      {models === null
        ? input('model', 'Model', 'text')
        : choice('model', 'Model', [['', 'All models'], ...models.map((id) => [id, id] as const)])}
      {choice('status', 'Status', statusOptions)}
      {input('code', 'Error code', 'text')}
      {input('from', 'First day (UTC)', 'date')}
      {input('to', 'Last day (UTC)', 'date')}
      {input('min_cost_usd', 'Min. cost in $', 'text', usd)}
      {input('max_cost_usd', 'Max. cost in $', 'text', usd)}
      {input('min_duration_ms', 'Min. duration in ms', 'text', ms)}
      {input('max_duration_ms', 'Max. duration in ms', 'text', ms)}
    </FilterPanel>
  )
}

interface TagsProps {
  readonly search: RequestsSearch
  readonly onRemove: (name: keyof RequestsSearch) => void
}

/** Conditions on tags, which other pages set: each can be removed. */
function Tags({ search, onRemove }: TagsProps) {
  return (
    <RemovableFilters
      filters={Object.entries(metadataOf({ ...search })).map(
        ([name, value]) =>
          [name as keyof RequestsSearch, `Tag ${name.slice(metadataPrefix.length)}: ${isolate(value)}`] as const
      )}
      onRemove={onRemove}
    />
  )
}
