import { Choice } from '../../../ui/choice.tsx'
import { LateSearchField } from '../../../ui/search-field.tsx'
import { Segments } from '../../../ui/segments.tsx'
import { usePlans } from '../plans.ts'
import { type AccountsSearch, statusNames } from './accounts-search.ts'

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
      <LateSearchField
        label="Search accounts"
        placeholder="Address, id, key id or metadata"
        text={search.q ?? ''}
        onChange={(q) => onChange({ q })}
      />
      <Choice
        label="Plan"
        value={search.plan ?? ''}
        options={[['', 'All plans'], ...plans]}
        onChange={(plan) => onChange({ plan })}
      />
      <Choice
        label="Status"
        value={search.status ?? ''}
        options={[['', 'Any status'], ...Object.entries(statusNames)]}
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
