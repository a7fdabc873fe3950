import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { read } from '../../api/queries.ts'
import { isolate } from '../../format/visible-text.ts'
import { useAccount } from '../../layout/caller.ts'
import { Choice } from '../../ui/choice.tsx'
import { FilterInput } from '../../ui/filter-input.tsx'
import { FilterPanel } from '../../ui/filter-panel.tsx'
import { RemovableFilters } from '../../ui/removable-filters.tsx'
import type { Option } from '../../ui/select-box.tsx'
import { isHour } from '../../usage/bounds-of-days.ts'
import { metadataPrefix } from '../../usage/group-usage.ts'
import { KeyChoice } from '../../usage/key-choice.tsx'
import { readFilters, readMs, readUsd, statusOptions } from './read-filters.ts'
import { metadataOf, type RequestsSearch } from './requests-search.ts'

type Reading = Pick<Parameters<typeof FilterInput>[0], 'read' | 'problem'>

const usd: Reading = { read: readUsd, problem: 'Enter dollars such as 5 or 0.05. Leave out separators of thousands.' }
const ms: Reading = { read: readMs, problem: 'Enter milliseconds such as 500, or seconds such as 2 s.' }

/** Filters, kept in the address. */
export function RequestFilters({ search }: { readonly search: RequestsSearch }) {
  const navigate = useNavigate({ from: '/dashboard/requests' })
  const { models } = useAccount()
  const team = useQuery(read('getTeam'))
  const members = team.data?.team.members ?? []
  const hasLeft = team.data !== undefined && members.every(({ id }) => id !== search.member)
  const memberOptions = [
    ['', 'Everybody’s keys'] as const,
    ...members.map(({ id, email }) => [id, email] as const),
    ...(search.member !== undefined && hasLeft ? [[search.member, 'Former member'] as const] : [])
  ]
  const apply = (name: keyof RequestsSearch, value: string) =>
    void navigate({ search: { ...search, [name]: value || undefined }, replace: true })
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
    <FilterPanel
      count={Object.keys(readFilters(search)).length}
      onClear={() => void navigate({ search: {}, replace: true })}
    >
      <Tags search={search} />
      <KeyChoice value={search.key ?? ''} onChange={(id) => apply('key', id)} />
      {(members.length > 1 || search.member !== undefined) && choice('member', 'Created by', memberOptions)}
      {choice('model', 'Model', [['', 'All models'], ...models.map(({ id }) => [id, id] as const)])}
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

/** Conditions on tags, which other pages set: each can be removed. */
function Tags({ search }: { readonly search: RequestsSearch }) {
  const navigate = useNavigate({ from: '/dashboard/requests' })
  return (
    <RemovableFilters
      filters={Object.entries(metadataOf({ ...search })).map(
        ([name, value]) =>
          [name as keyof RequestsSearch, `Tag ${name.slice(metadataPrefix.length)}: ${isolate(value)}`] as const
      )}
      onRemove={(name) => void navigate({ search: { ...search, [name]: undefined }, replace: true })}
    />
  )
}
