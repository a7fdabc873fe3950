import { Plus, X } from 'lucide-react'
import { useId, useState } from 'react'
import { CheckField, controlLook, TextField } from '../../forms/fields.tsx'
import { useProblem } from '../../forms/form.tsx'
import { useAccount } from '../../layout/caller.ts'
import { Button } from '../../ui/button.tsx'
import { dayOf, type Key } from './read-key-form.ts'

/** What a key may do, and until when: for a new one, or filled in with a present one. */
export function KeyFields({ present }: { readonly present: Key | null }) {
  return (
    <>
      <div className="grid grid-cols-1 gap-4 sm:grid-cols-2">
        <TextField
          name="monthly_budget_usd"
          label="Monthly budget"
          hint="At most this much in a calendar month."
          inputMode="decimal"
          unit="USD"
          defaultValue={present?.monthly_budget_usd ?? ''}
          isOptional
        />
        <TextField
          name="requests_per_minute"
          label="Rate limit"
          inputMode="numeric"
          unit="requests/min"
          defaultValue={present?.requests_per_minute ?? ''}
          isOptional
        />
      </div>
      <TextField
        name="expires_at"
        label="Expires after"
        type="date"
        hint="The key is refused once that day is over where you are."
        defaultValue={present?.expires_at == null ? '' : dayOf(present.expires_at)}
        isOptional
      />
      <ModelsField present={present?.models ?? null} />
      <MetadataField present={present?.metadata ?? {}} />
    </>
  )
}

function ModelsField({ present }: { readonly present: readonly string[] | null }) {
  const models = useAccount().models.map(({ id: model }) => model)
  const [isRestricted, setRestricted] = useState(present !== null)
  const problem = useProblem('models')
  const id = useId()
  const choice = (value: 'all' | 'some', text: string) => (
    <label className="flex min-h-8 items-center gap-2.5 text-sm">
      <input
        type="radio"
        name="model_choice"
        value={value}
        checked={isRestricted === (value === 'some')}
        onChange={() => setRestricted(value === 'some')}
        className="size-4 accent-accent"
      />
      {text}
    </label>
  )
  // A plan may have lost a model that the key still names.
  const offered = [...models, ...(present ?? []).filter((model) => !models.includes(model))]
  return (
    <fieldset aria-describedby={problem === undefined ? undefined : id}>
      <legend className="mb-1 text-sm font-medium">Models</legend>
      {choice('all', 'All models of the plan')}
      {choice('some', 'Only these')}
      {isRestricted && (
        <div className="mt-1 grid max-h-52 gap-x-4 overflow-y-auto rounded-lg border border-line bg-canvas px-3 py-2 font-mono text-[0.8125rem] sm:grid-cols-2">
          {offered.map((model) => (
            <CheckField
              key={model}
              name="models"
              label={model}
              value={model}
              defaultChecked={present?.includes(model) ?? false}
            />
          ))}
        </div>
      )}
      {problem !== undefined && (
        <p id={id} className="mt-1.5 text-sm text-danger">
          {problem}
        </p>
      )}
    </fieldset>
  )
}

type Row = { readonly id: number; readonly name: string; readonly value: string }

function MetadataField({ present }: { readonly present: Readonly<Record<string, string>> }) {
  const [rows, setRows] = useState<readonly Row[]>(() =>
    Object.entries(present).map(([name, value], id) => ({ id, name, value }))
  )
  const problem = useProblem('metadata')
  const id = useId()
  const invalid = problem === undefined ? {} : ({ 'aria-invalid': true, 'aria-describedby': id } as const)
  const add = () => setRows([...rows, { id: (rows.at(-1)?.id ?? -1) + 1, name: '', value: '' }])
  return (
    <fieldset>
      <legend className="mb-1 text-sm font-medium">
        Metadata <span className="font-normal text-ink-soft">(optional)</span>
      </legend>
      <p className="mb-2 text-[0.8125rem] text-ink-soft">Names and values by which you find the key again.</p>
      <div className="space-y-2">
        {rows.map((row) => (
          <div key={row.id} className="flex gap-2">
            <input
              name="metadata_name"
              aria-label="Name"
              placeholder="tenant"
              defaultValue={row.name}
              className={`${controlLook} h-9 min-w-0 font-mono text-sm`}
              {...invalid}
            />
            <input
              name="metadata"
              aria-label="Value"
              placeholder="acme"
              defaultValue={row.value}
              maxLength={500}
              className={`${controlLook} h-9 min-w-0 font-mono text-sm`}
            />
            <Button
              size="small"
              tone="quiet"
              aria-label={`Remove ${row.name === '' ? 'this pair' : row.name}`}
              onClick={() => setRows(rows.filter(({ id: other }) => other !== row.id))}
            >
              <X aria-hidden="true" className="size-4" />
            </Button>
          </div>
        ))}
      </div>
      {problem !== undefined && (
        <p id={id} className="mt-1.5 text-sm text-danger">
          {problem}
        </p>
      )}
      <Button size="small" tone="plain" className={rows.length > 0 ? 'mt-2' : ''} onClick={add}>
        <Plus aria-hidden="true" className="size-3.5" />
        Add a pair
      </Button>
    </fieldset>
  )
}
