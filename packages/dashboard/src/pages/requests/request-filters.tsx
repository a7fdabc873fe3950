import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { read } from '../../api/queries.ts'
import { isolate } from '../../format/visible-text.ts'
import { useAccount } from '../../layout/caller.ts'
import { requestIdIn } from '../../layout/commands.ts'
import { Choice } from '../../ui/choice.tsx'
import { FilterInput } from '../../ui/filter-input.tsx'
import { FilterPanel } from '../../ui/filter-panel.tsx'
import { RemovableFilters } from '../../ui/removable-filters.tsx'
import type { Option } from '../../ui/select-box.tsx'
import { isHour } from '../../usage/bounds-of-days.ts'
import { metadataPrefix } from '../../usage/group-usage.ts'
import { keyOptions } from '../../usage/key-options.ts'
import { metadataOf, type RequestsSearch, readFilters, statusOptions } from './requests-search.ts'

/** Filters, kept in the address. */
export function RequestFilters({ search }: { readonly search: RequestsSearch }) {
  const navigate = useNavigate({ from: '/dashboard/requests' })
  const keys = useQuery(read('listKeys', { query: { limit: '100', include_revoked: 'true' } }))
  const { models } = useAccount()
  const apply = (name: keyof RequestsSearch, value: string) =>
    void navigate({ search: { ...search, [name]: value || undefined }, replace: true })
  const choice = (name: keyof RequestsSearch, label: string, options: readonly Option[]) => (
    <Choice label={label} value={search[name] ?? ''} options={options} onChange={(value) => apply(name, value)} />
  )
  const input = (name: keyof RequestsSearch, label: string, type: 'text' | 'date') => (
    <FilterInput
      label={label}
      type={isHour(search[name]) ? 'text' : type}
      value={search[name] ?? ''}
      onChange={(value) => apply(name, value)}
    />
  )
  return (
    <FilterPanel count={Object.keys(readFilters(search)).length}>
      <OtherConditions search={search} />
      {choice('key', 'Key', keyOptions(keys.data?.keys ?? []))}
      {choice('model', 'Model', [['', 'All models'], ...models.map(({ id }) => [id, id] as const)])}
      {choice('status', 'Status', statusOptions)}
      {input('code', 'Error code', 'text')}
      {input('from', 'First day (UTC)', 'date')}
      {input('to', 'Last day (UTC)', 'date')}
      {input('min_cost_usd', 'Min. cost in $', 'text')}
      {input('max_cost_usd', 'Max. cost in $', 'text')}
      <FilterInput
        label="Open a request by its id"
        type="text"
        value=""
        onChange={(typed) => {
          const id = requestIdIn(typed)
          if (id !== null) void navigate({ to: '/dashboard/requests/$id', params: { id } })
        }}
      />
    </FilterPanel>
  )
}

/** Conditions that other pages set, such as a member: each can be removed. */
function OtherConditions({ search }: { readonly search: RequestsSearch }) {
  const navigate = useNavigate({ from: '/dashboard/requests' })
  const { member } = search
  const team = useQuery({ ...read('getTeam'), enabled: member !== undefined })
  const nameOfMember = team.data?.team.members.find(({ id }) => id === member)?.name ?? 'former member'
  const conditions = [
    ...(member === undefined ? [] : [['member', `Keys of ${isolate(nameOfMember)}`] as const]),
    ...Object.entries(metadataOf({ ...search })).map(
      ([name, value]) => [name, `Tag ${name.slice(metadataPrefix.length)}: ${isolate(value)}`] as const
    )
  ]
  return (
    <RemovableFilters
      filters={conditions}
      onRemove={(name) => void navigate({ search: { ...search, [name]: undefined }, replace: true })}
    />
  )
}
