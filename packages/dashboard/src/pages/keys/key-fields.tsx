import { Plus, X } from 'lucide-react'
import { useId, useState } from 'react'
import { BudgetRows } from '../../budgets/budget-rows.tsx'
import { TextAreaField, TextField } from '../../forms/fields.tsx'
import { useProblem } from '../../forms/form.tsx'
import { ModelChecks, withChosen } from '../../forms/model-checks.tsx'
import { NumberField } from '../../forms/number-field.tsx'
import { dayOf } from '../../forms/read-number.ts'
import { SelectField } from '../../forms/select-field.tsx'
import { useRows } from '../../forms/use-rows.ts'
import { useAccount } from '../../layout/owner.tsx'
import { Button } from '../../ui/button.tsx'
import { controlLook } from '../../ui/class-names.ts'
import { type Key, moreBudgetsOf } from './read-key-form.ts'

/** The budget of a key: empty for a new key, else filled in from `present`. */
export const BudgetField = ({ present }: { readonly present: Key | null }) => (
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
)

/** The other limits of a key, which few need. */
export function KeyFields({ present }: { readonly present: Key | null }) {
  return (
    <>
      <div className="grid grid-cols-1 gap-4 sm:grid-cols-2">
        <NumberField
          name="requests_per_minute"
          label="Rate limit"
          unit="requests/min"
          defaultValue={present?.requests_per_minute ?? null}
          isWhole
          isOptional
        />
        <NumberField
          name="tokens_per_minute"
          label="Token limit"
          hint="Prompt and maximum output, in each minute of the clock (UTC)."
          unit="tokens/min"
          defaultValue={present?.tokens_per_minute ?? null}
          isWhole
          isOptional
        />
        <NumberField
          name="concurrent_requests"
          label="Concurrent requests"
          hint="How many of its requests can run at once."
          unit="requests"
          defaultValue={present?.concurrent_requests ?? null}
          isWhole
          isOptional
        />
      </div>
      <MoreBudgetsField present={present} />
      <OnExhaustedField present={present?.on_exhausted?.model ?? null} />
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
      <AddressesField present={present} />
      <MetadataField present={present?.metadata ?? {}} />
    </>
  )
}

/** Budgets besides the monthly one for all models. Most keys have none. */
function MoreBudgetsField({ present }: { readonly present: Key | null }) {
  return (
    <fieldset name="budgets">
      <legend className="mb-1 text-sm font-medium">
        More budgets <span className="font-normal text-ink-soft">(optional)</span>
      </legend>
      <p className="mb-2 text-[0.8125rem] text-ink-soft">
        For a day, a week, a lifetime, or some models. They reset at midnight UTC.
      </p>
      <BudgetRows present={present === null ? [] : moreBudgetsOf(present)} />
    </fieldset>
  )
}

/** What happens to a request that a budget refuses. */
function OnExhaustedField({ present }: { readonly present: string | null }) {
  const models = useAccount().models.map(({ id: model }) => model)
  return (
    <SelectField
      name="on_exhausted"
      label="When a budget is used up"
      hint="A cheaper model answers only what still fits into the budgets."
      defaultValue={present ?? ''}
      options={[
        ['', 'Refuse requests'],
        ...withChosen(models, present === null ? null : [present]).map((model) => [model, `Use ${model}`] as const)
      ]}
    />
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
  return (
    <fieldset aria-describedby={problemId}>
      <legend className="mb-1 text-sm font-medium">Models</legend>
      {choice('all', 'All models in the plan')}
      {withChosen(models, present).length > 0 && choice('some', 'Only selected models')}
      {isRestricted && <ModelChecks name="models" offered={models} chosen={present} problemId={problemId} />}
      {problem !== undefined && (
        <p id={id} className="mt-1.5 text-sm text-danger">
          {problem}
        </p>
      )}
    </fieldset>
  )
}

export function AddressesField({ present }: { readonly present: Pick<Key, 'addresses'> | null }) {
  return (
    <TextAreaField
      name="addresses"
      label="Allowed IP addresses"
      hint="One address or range per line, such as 203.0.113.7 or 203.0.113.0/24. Empty: the key works from everywhere."
      defaultValue={present?.addresses?.join('\n') ?? ''}
      isOptional
    />
  )
}

/** A list of name and value pairs that can grow and shrink. */
function MetadataField({ present }: { readonly present: Readonly<Record<string, string>> }) {
  const { rows, add, remove, list, adder } = useRows(() => Object.entries(present), '[name="metadata_name"]')
  const problem = useProblem('metadata')
  const id = useId()
  const invalid = problem === undefined ? {} : ({ 'aria-invalid': true, 'aria-describedby': id } as const)
  return (
    <fieldset>
      <legend className="mb-1 text-sm font-medium">
        Metadata <span className="font-normal text-ink-soft">(optional)</span>
      </legend>
      <p className="mb-2 text-[0.8125rem] text-ink-soft">Name and value pairs to filter your keys by.</p>
      <div ref={list} className="space-y-2">
        {rows.map(({ id: row, value: [name, value] }, place) => (
          <div key={row} className="flex gap-2">
            <input
              name="metadata_name"
              aria-label={`Name of pair ${place + 1}`}
              placeholder="tenant"
              autoComplete="off"
              defaultValue={name}
              className={`${controlLook} h-9 min-w-0 font-mono text-sm`}
              {...invalid}
            />
            <input
              name="metadata"
              aria-label={`Value of pair ${place + 1}`}
              placeholder="acme"
              autoComplete="off"
              defaultValue={value}
              maxLength={500}
              className={`${controlLook} h-9 min-w-0 font-mono text-sm`}
            />
            <Button size="small" tone="quiet" aria-label={`Remove pair ${place + 1}`} onClick={() => remove(place)}>
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
      <Button
        ref={adder}
        size="small"
        tone="plain"
        className={rows.length > 0 ? 'mt-2' : ''}
        onClick={() => add(['', ''])}
      >
        <Plus aria-hidden="true" className="size-3.5" />
        Add pair
      </Button>
    </fieldset>
  )
}
