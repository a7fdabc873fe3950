import { useId, useState } from 'react'
import { CheckField, TextField } from '../../forms/fields.tsx'
import { useProblem } from '../../forms/form.tsx'
import { NumberField } from '../../forms/number-field.tsx'
import { dayOf } from '../../forms/read-optional.ts'
import { SelectField } from '../../forms/select-field.tsx'
import { useAccount } from '../../layout/caller.ts'
import { MetadataField } from './metadata-field.tsx'
import type { Key } from './read-key-form.ts'

/** The limits of a key: empty for a new key, else filled in from `present`. */
export function KeyFields({ present }: { readonly present: Key | null }) {
  return (
    <>
      <div className="grid grid-cols-1 gap-4 sm:grid-cols-2">
        <NumberField
          // Shows the present budget, if it was changed elsewhere.
          key={present?.monthly_budget_usd}
          name="monthly_budget_usd"
          label="Monthly budget"
          hint="The most this key can spend per calendar month (UTC)."
          unit="USD"
          defaultValue={present?.monthly_budget_usd ?? null}
          isOptional
        />
        <NumberField
          name="requests_per_minute"
          label="Rate limit"
          unit="requests/min"
          defaultValue={present?.requests_per_minute ?? null}
          isWhole
          isOptional
        />
      </div>
      <ThresholdsFields present={present?.thresholds ?? null} />
      <TextField
        name="expires_at"
        label="Expires after"
        type="date"
        hint="The key stops working at the end of this day in your time zone."
        defaultValue={present?.expires_at == null ? '' : dayOf(present.expires_at)}
        isOptional
      />
      <ModelsField present={present?.models ?? null} />
      <MetadataField present={present?.metadata ?? {}} />
    </>
  )
}

/** At which shares of the key's budget the owner is told. */
function ThresholdsFields({ present }: { readonly present: readonly number[] | null }) {
  const [source, setSource] = useState(present === null ? 'account' : 'own')
  return (
    <>
      <SelectField
        name="warnings"
        label="Warnings"
        hint="We tell the account’s owner when the key’s spend reaches a share of its budget."
        value={source}
        onValueChange={setSource}
        options={[
          ['account', 'As set for the account'],
          ['own', 'Own thresholds']
        ]}
      />
      {source === 'own' && (
        <TextField
          name="thresholds"
          label="Thresholds"
          hint="Percent of the key’s monthly budget, such as 50, 80, 100. Empty: no warnings."
          autoComplete="off"
          defaultValue={present?.join(', ') ?? ''}
        />
      )}
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
  const problemId = problem === undefined ? undefined : id
  // The key may name a model that the plan has lost.
  const offered = [...models, ...(present ?? []).filter((model) => !models.includes(model))]
  return (
    <fieldset aria-describedby={problemId}>
      <legend className="mb-1 text-sm font-medium">Models</legend>
      {choice('all', 'All models in the plan')}
      {offered.length > 0 && choice('some', 'Only selected models')}
      {isRestricted && (
        <div className="mt-1 grid max-h-52 gap-x-4 overflow-y-auto rounded-lg border border-line bg-canvas px-3 py-2 font-mono text-[0.8125rem] sm:grid-cols-2">
          {offered.map((model) => (
            <CheckField
              key={model}
              name="models"
              label={model}
              value={model}
              defaultChecked={present?.includes(model) ?? false}
              problemId={problemId}
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
