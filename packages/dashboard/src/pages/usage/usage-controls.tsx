import { useQuery } from '@tanstack/react-query'
import { Download } from 'lucide-react'
import { useId, useState } from 'react'
import { read } from '../../api/queries.ts'
import { useAccount } from '../../layout/owner.tsx'
import { Button } from '../../ui/button.tsx'
import { controlLook } from '../../ui/class-names.ts'
import { Segments } from '../../ui/segments.tsx'
import { Choice } from '../../ui/select-box.tsx'
import { metadataPrefix } from '../../usage/group-usage.ts'
import { KeyChoice } from '../../usage/key-choice.tsx'
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
  const { key = '', model = '' } = search
  const { models } = useAccount()
  const listed = useQuery(read('listKeys', { query: { limit: '100', include_revoked: 'true' } }))
  const keys = listed.data?.keys ?? []
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
        {isOfDays && <Days from={from} to={to} onChange={change} />}
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
        {show === 'latency' && (
          <Choice
            label="Latency"
            options={latencies}
            value={of}
            onChange={(value) => change({ of: latencies.find(([name]) => name === value)?.[0] })}
          />
        )}
      </div>
      <div className="flex flex-wrap items-center gap-3">
        <GroupBy value={by} listed={keys} onChange={(value) => change({ by: value, hide: undefined })} />
        <KeyChoice value={key} onChange={(id) => change({ key: id || undefined, hide: undefined })} />
        <Choice
          label="Model"
          value={model}
          options={[['', 'All models'], ...models.map(({ id }) => [id, id] as const)]}
          onChange={(value) => change({ model: value || undefined, hide: undefined })}
        />
      </div>
    </div>
  )
}

interface GroupByProps {
  readonly value: string
  readonly listed: ReadonlyArray<{ readonly metadata: Readonly<Record<string, string>> }>
  readonly onChange: (value: string) => void
}

/** By what usage is grouped: the tags are those of the newest keys. Others can be in the address. */
function GroupBy({ value, listed, onChange }: GroupByProps) {
  const used = listed.flatMap(({ metadata }) => Object.keys(metadata).map((tag) => metadataPrefix + tag))
  const tags = [...new Set([...used, ...(value.startsWith(metadataPrefix) ? [value] : [])])].sort()
  const options = [
    ...groupings.map(([option, text]) => [option, option === 'none' ? text : `By ${text.toLowerCase()}`] as const),
    ...tags.map((option) => [option, `By tag: ${option.slice(metadataPrefix.length)}`] as const)
  ]
  return <Choice label="Group by" options={options} value={value} onChange={onChange} />
}

interface DaysProps {
  readonly from: string
  readonly to: string
  readonly onChange: (days: Pick<UsageSearchChange, 'from' | 'to'>) => void
}

/** Days that people type or choose. What is shown changes once both are days, in their order. */
function Days({ from, to, onChange }: DaysProps) {
  const [days, setDays] = useState({ from, to })
  const problem = useId()
  const isReversed = days.to < days.from
  const day = (name: 'from' | 'to', label: string) => (
    <div className="w-40">
      <input
        type="date"
        aria-label={label}
        title={label}
        defaultValue={days[name]}
        aria-invalid={isReversed}
        aria-describedby={isReversed ? problem : undefined}
        onChange={({ currentTarget: { value } }) => {
          // While people type, it is no day yet.
          if (startOfDay(value) === null) return
          const chosen = { ...days, [name]: value }
          setDays(chosen)
          if (chosen.from <= chosen.to) onChange(chosen)
        }}
        className={`${controlLook} h-9 text-sm`}
      />
    </div>
  )
  return (
    <>
      {day('from', 'First day (UTC)')}
      {day('to', 'Last day (UTC)')}
      {isReversed && (
        <p id={problem} className="basis-full text-[0.8125rem] text-danger">
          The last day is before the first day, so the page still shows {from} to {to}.
        </p>
      )}
    </>
  )
}

interface ExportButtonProps {
  /** The name of the file. */
  readonly name: string
  /** Writes the file; null if there is nothing to write. */
  readonly write: (() => string) | null
}

export function ExportButton({ name, write }: ExportButtonProps) {
  return (
    <Button
      size="small"
      disabled={write === null}
      onClick={() => {
        if (write !== null) download(name, 'text/csv', write())
      }}
    >
      <Download aria-hidden="true" className="size-4" />
      Export CSV
    </Button>
  )
}

const revokeAfterMs = 60_000

/** Makes the browser save a text as a file. */
function download(name: string, type: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type }))
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  // Some browsers read the URL only after the user has chosen a place for the file.
  setTimeout(() => URL.revokeObjectURL(url), revokeAfterMs)
}
