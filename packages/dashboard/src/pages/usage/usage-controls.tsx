import { useQuery } from '@tanstack/react-query'
import { read } from '../../api/queries.ts'
import { controlLook } from '../../ui/control-look.ts'
import { Segments } from '../../ui/segments.tsx'
import { metadataPrefix } from '../../usage/group-usage.ts'
import { latencies, measures } from '../../usage/measures.ts'
import { dayOf, ranges, startOfDay, type UsageRange } from '../../usage/usage-range.ts'
import { groupings, type UsageSearch, type UsageSearchChange } from './usage-search.ts'

interface UsageControlsProps {
  readonly search: UsageSearch
  /** The range that is shown. */
  readonly range: UsageRange
  readonly change: (changed: UsageSearchChange) => void
}

const rangeOptions = [...ranges, ['days', 'Choose days']] as const
const hourMs = 3_600_000

/** What the page shows: all of it is in the address. */
export function UsageControls({ search, range, change }: UsageControlsProps) {
  const { range: name = 'month', by = 'model', show = 'cost', of = 'first', compare, from, to } = search
  const isOfDays = from !== undefined && to !== undefined
  const days = { from: dayOf(range.from), to: dayOf(new Date(range.to.getTime() - hourMs)) }
  return (
    <div className="space-y-3">
      <div className="flex flex-wrap items-center gap-3">
        <Segments
          legend="Time range"
          options={rangeOptions}
          value={isOfDays ? 'days' : name}
          onChange={(value) => change(value === 'days' ? days : { range: value, from: undefined, to: undefined })}
        />
        {isOfDays && (
          <>
            <Day label="First day (UTC)" value={from} onChange={(day) => change({ from: day })} />
            <Day label="Last day (UTC)" value={to} onChange={(day) => change({ to: day })} />
          </>
        )}
        {show !== 'latency' && (
          <label className="flex min-h-9 items-center gap-2 text-sm">
            <input
              type="checkbox"
              className="size-4 accent-accent"
              checked={compare === 'yes'}
              onChange={({ currentTarget }) => change({ compare: currentTarget.checked ? 'yes' : undefined })}
            />
            Compare with the range before
          </label>
        )}
      </div>
      <div className="flex flex-wrap items-center gap-3">
        <Segments
          legend="Show"
          options={measures}
          value={show}
          onChange={(value) => change({ show: value, hide: undefined })}
        />
        <GroupBy value={by} onChange={(value) => change({ by: value, hide: undefined })} />
        {show === 'latency' && (
          <Choice label="Latency" options={latencies} value={of} onChange={(value) => change({ of: value })} />
        )}
      </div>
    </div>
  )
}

function GroupBy({ value, onChange }: { readonly value: string; readonly onChange: (value: string) => void }) {
  const keys = useQuery(read('listKeys', { query: { limit: '100', include_revoked: 'true' } }))
  const used = (keys.data?.keys ?? []).flatMap(({ metadata }) =>
    Object.keys(metadata).map((tag) => metadataPrefix + tag)
  )
  const tags = [...new Set([...used, ...(value.startsWith(metadataPrefix) ? [value] : [])])].sort()
  const options = [
    ...groupings.map(([option, text]) => [option, option === 'none' ? text : `By ${text.toLowerCase()}`] as const),
    ...tags.map((option) => [option, `By tag: ${option.slice(metadataPrefix.length)}`] as const)
  ]
  return <Choice<string> label="Group by" options={options} value={value} onChange={onChange} />
}

interface ChoiceProps<Value extends string> {
  readonly label: string
  readonly options: ReadonlyArray<readonly [value: Value, text: string]>
  readonly value: Value
  readonly onChange: (value: Value) => void
}

function Choice<Value extends string>({ label, options, value, onChange }: ChoiceProps<Value>) {
  return (
    <div className="w-52 max-w-full">
      <select
        aria-label={label}
        value={value}
        onChange={({ currentTarget }) => {
          const chosen = options[currentTarget.selectedIndex]
          if (chosen !== undefined) onChange(chosen[0])
        }}
        className={`${controlLook} h-9 text-sm`}
      >
        {options.map(([option, text]) => (
          <option key={option} value={option}>
            {text}
          </option>
        ))}
      </select>
    </div>
  )
}

interface DayProps {
  readonly label: string
  readonly value: string
  readonly onChange: (day: string) => void
}

/** A day that people type or choose. While they type, it is no day yet, and nothing changes. */
function Day({ label, value, onChange }: DayProps) {
  return (
    <div className="w-40">
      <input
        type="date"
        aria-label={label}
        title={label}
        defaultValue={value}
        onChange={({ currentTarget }) => {
          if (startOfDay(currentTarget.value) !== null) onChange(currentTarget.value)
        }}
        className={`${controlLook} h-9 text-sm`}
      />
    </div>
  )
}
