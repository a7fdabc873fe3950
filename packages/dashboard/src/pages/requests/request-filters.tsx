import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { X } from 'lucide-react'
import { read } from '../../api/queries.ts'
import { nameOfKey } from '../../format/key.ts'
import { isolate } from '../../format/visible-text.ts'
import { controlLook } from '../../forms/fields.tsx'
import { useAccount } from '../../layout/caller.ts'
import { metadataPrefix } from '../../usage/group-usage.ts'
import { isHour, metadataOf, type RequestsSearch, statusOptions } from './requests-search.ts'

type Options = ReadonlyArray<readonly [value: string, text: string]>

/** Adds the chosen value if the options lack it: the address may have any. */
const withChosen = (options: Options, chosen: string | undefined): Options =>
  chosen === undefined || options.some(([value]) => value === chosen) ? options : [...options, [chosen, chosen]]

/** Filters, kept in the address. */
export function RequestFilters({ search }: { readonly search: RequestsSearch }) {
  const navigate = useNavigate({ from: '/dashboard/requests' })
  const keys = useQuery(read('listKeys', { query: { limit: '100', include_revoked: 'true' } }))
  const { models } = useAccount()
  const ofKeys = (keys.data?.keys ?? [])
    .filter(({ scope }) => scope === 'inference')
    .map((key) => [key.id, key.status === 'revoked' ? `${nameOfKey(key)} (revoked)` : nameOfKey(key)] as const)
  const apply = (name: keyof RequestsSearch, value: string) => {
    const text = value.trim()
    if (text === (search[name] ?? '')) return
    void navigate({ search: { ...search, [name]: text || undefined }, replace: true })
  }
  const choice = (name: keyof RequestsSearch, label: string, options: Options) => (
    <select
      aria-label={label}
      value={search[name] ?? ''}
      onChange={(event) =>
        void navigate({ search: { ...search, [name]: event.currentTarget.value || undefined }, replace: true })
      }
      className={`${controlLook} h-10 min-w-0 flex-1 basis-40 text-sm sm:max-w-64`}
    >
      {withChosen(options, search[name]).map(([value, text]) => (
        <option key={value} value={value}>
          {text}
        </option>
      ))}
    </select>
  )
  const input = (name: keyof RequestsSearch, label: string, type: 'text' | 'date') => (
    <input
      // A change of the address shows its value.
      key={`${name} ${search[name]}`}
      type={isHour(search[name]) ? 'text' : type}
      aria-label={label}
      title={label}
      placeholder={label}
      defaultValue={search[name] ?? ''}
      onBlur={(event) => apply(name, event.currentTarget.value)}
      onKeyDown={(event) => {
        if (event.key === 'Enter') apply(name, event.currentTarget.value)
      }}
      className={`${controlLook} h-10 min-w-0 flex-1 basis-40 text-sm sm:max-w-64`}
    />
  )
  return (
    <search className="flex flex-wrap gap-3">
      <OtherConditions search={search} />
      {choice('key', 'Key', [['', 'All keys'], ...ofKeys])}
      {choice('model', 'Model', [['', 'All models'], ...models.map(({ id }) => [id, id] as const)])}
      {choice('status', 'Status', statusOptions)}
      {input('code', 'Error code', 'text')}
      {input('from', 'First day (UTC)', 'date')}
      {input('to', 'Last day (UTC)', 'date')}
      {input('min_cost_usd', 'Min. cost in $', 'text')}
      {input('max_cost_usd', 'Max. cost in $', 'text')}
    </search>
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
  if (conditions.length === 0) return null
  return (
    <ul aria-label="More filters" className="flex w-full flex-wrap gap-2">
      {conditions.map(([name, text]) => (
        <li key={name} className="flex max-w-full items-center gap-1 rounded-lg bg-sunken pl-3 text-[0.8125rem]">
          <span className="truncate">{text}</span>
          <button
            type="button"
            aria-label={`Remove filter: ${text}`}
            onClick={() => void navigate({ search: { ...search, [name]: undefined }, replace: true })}
            className="grid size-8 shrink-0 place-items-center rounded-md text-ink-soft hover:text-ink"
          >
            <X aria-hidden="true" className="size-3.5" />
          </button>
        </li>
      ))}
    </ul>
  )
}
