import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { read } from '../../api/queries.ts'
import { isolate } from '../../format/visible-text.ts'
import { Choice } from '../../ui/choice.tsx'
import { FilterInput } from '../../ui/filter-input.tsx'
import { FilterPanel } from '../../ui/filter-panel.tsx'
import { RemovableFilters } from '../../ui/removable-filters.tsx'
import { LateSearchField } from '../../ui/search-field.tsx'
import { type AuditSearch, actionOptions, readAuditFilters } from './audit-search.ts'

/** Filters, kept in the address. */
export function AuditFilters({ search }: { readonly search: AuditSearch }) {
  const navigate = useNavigate({ from: '/dashboard/audit' })
  const team = useQuery(read('getTeam'))
  const apply = (name: keyof AuditSearch, value: string) =>
    void navigate({ search: (before) => ({ ...before, [name]: value || undefined }), replace: true })
  const people = (team.data?.team.members ?? []).map(({ id, email }) => [id, email] as const)
  return (
    <FilterPanel
      count={Object.keys(readAuditFilters(search)).length}
      onClear={() => void navigate({ search: {}, replace: true })}
    >
      <RemovableFilters
        filters={search.subject === undefined ? [] : [['subject', `Only about ${isolate(search.subject)}`]]}
        onRemove={(name) => apply(name, '')}
      />
      <LateSearchField
        label="Search the audit log"
        placeholder="Name, e-mail address, IP address or id"
        text={search.q ?? ''}
        onChange={(text) => apply('q', text)}
      />
      <Choice
        label="Change"
        value={search.action ?? ''}
        options={actionOptions}
        onChange={(value) => apply('action', value)}
      />
      <Choice
        label="Who"
        value={search.actor ?? ''}
        options={[['', 'Everybody'], ...people, ['service', 'This service']]}
        onChange={(value) => apply('actor', value)}
      />
      <div className="flex basis-full flex-wrap gap-3">
        {(
          [
            ['from', 'First day (UTC)'],
            ['to', 'Last day (UTC)']
          ] as const
        ).map(([name, label]) => (
          <FilterInput
            key={name}
            label={label}
            type="date"
            value={search[name] ?? ''}
            onChange={(value) => apply(name, value)}
          />
        ))}
      </div>
    </FilterPanel>
  )
}
