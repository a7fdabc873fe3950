import { type BudgetWindow, budgetWindows, maxBudgets } from '@tollgate/contracts/records/budget-windows.ts'
import { Plus, X } from 'lucide-react'
import { useEffect, useId, useRef, useState } from 'react'
import { useProblem } from '../forms/form.tsx'
import { ModelChecks, withChosen } from '../forms/model-checks.tsx'
import { NumberField } from '../forms/number-field.tsx'
import { SelectField } from '../forms/select-field.tsx'
import { useRows } from '../forms/use-rows.ts'
import { useAccount } from '../layout/owner.tsx'
import { Button } from '../ui/button.tsx'
import type { Option } from '../ui/select-box.tsx'
import { windows } from './describe-budget.ts'
import { namesOfRow, personWhoLeft } from './read-budget-rows.ts'

/** A budget as a row begins with it. */
interface BudgetRow {
  readonly window: BudgetWindow
  readonly models: readonly string[] | null
  readonly limit_usd: number | null
  readonly member_id?: string | null
}

interface BudgetRowsProps {
  readonly present: readonly BudgetRow[]
  /** Whom a budget may be for, with the empty id for all. Without them, nobody is chosen. */
  readonly people?: readonly Option[]
  /** Called when a row comes or goes, or something is chosen. */
  readonly onChange?: () => void
}

const newBudget: BudgetRow = { window: 'day', models: null, limit_usd: null }
const firstControl = '[name^="budget_limit_"]'

/** A list of budgets that can grow and shrink. `readBudgetRows` reads it. */
export function BudgetRows({ present, people = [], onChange = () => {} }: BudgetRowsProps) {
  const { rows, add, remove, list, adder } = useRows(() => present, firstControl)
  const problem = useProblem('budgets')
  const told = useRef<HTMLParagraphElement>(null)
  useEffect(() => {
    if (problem !== undefined) told.current?.focus()
  }, [problem])
  return (
    <>
      <div ref={list} className="space-y-3">
        {rows.map(({ id, value }, place) => (
          <Row
            key={id}
            id={id}
            begin={value}
            name={`Budget ${place + 1}`}
            people={people}
            onChange={onChange}
            onRemove={() => {
              remove(place)
              onChange()
            }}
          />
        ))}
      </div>
      {problem !== undefined && (
        <p ref={told} tabIndex={-1} role="alert" className="mt-1.5 text-sm text-danger outline-none">
          {problem}
        </p>
      )}
      {rows.length < maxBudgets && (
        <Button
          ref={adder}
          size="small"
          className={rows.length > 0 ? 'mt-3' : ''}
          onClick={() => {
            add(newBudget)
            onChange()
          }}
        >
          <Plus aria-hidden="true" className="size-3.5" />
          Add budget
        </Button>
      )}
    </>
  )
}

interface RowProps {
  readonly id: number
  readonly begin: BudgetRow
  readonly name: string
  readonly people: readonly Option[]
  readonly onChange: () => void
  readonly onRemove: () => void
}

function Row({ id, begin, name, people, onChange, onRemove }: RowProps) {
  const models = useAccount().models.map(({ id: model }) => model)
  const [choice, setChoice] = useState(begin.models === null ? 'all' : 'some')
  const names = namesOfRow(id)
  const problem = useProblem(names.models)
  const problemId = useId()
  const { member_id: wanted } = begin
  const hasLeft = wanted != null && people.every(([person]) => person !== wanted)
  return (
    <fieldset className="rounded-xl border border-line p-3">
      <legend className="sr-only">{name}</legend>
      <input type="hidden" name="budget_row" value={id} />
      <div className="mb-1 flex items-center justify-between gap-2">
        <span aria-hidden="true" className="text-sm font-medium">
          {name}
        </span>
        <Button size="small" tone="quiet" aria-label={`Remove ${name.toLowerCase()}`} onClick={onRemove}>
          <X aria-hidden="true" className="size-4" />
        </Button>
      </div>
      <div className="grid grid-cols-1 gap-3 sm:grid-cols-2">
        <NumberField name={names.limit} label="Limit" unit="USD" defaultValue={begin.limit_usd} />
        <SelectField
          name={names.window}
          label="Resets"
          defaultValue={begin.window}
          onValueChange={onChange}
          options={budgetWindows.map((window) => [window, windows[window].resets])}
        />
        {people.length > 0 && (
          <SelectField
            name={names.member}
            label="Keys"
            defaultValue={hasLeft ? personWhoLeft : (wanted ?? '')}
            onValueChange={onChange}
            options={hasLeft ? [...people, [personWhoLeft, 'Keys of a person who left']] : people}
          />
        )}
        <SelectField
          name={names.choice}
          label="Models"
          value={choice}
          onValueChange={(value) => {
            setChoice(value)
            onChange()
          }}
          options={[
            ['all', 'All models'],
            ...(withChosen(models, begin.models).length > 0 ? [['some', 'Only selected models'] as const] : [])
          ]}
        />
      </div>
      {choice === 'some' && (
        <div className="mt-2">
          <ModelChecks
            name={names.models}
            offered={models}
            chosen={begin.models}
            problemId={problem === undefined ? undefined : problemId}
          />
        </div>
      )}
      {problem !== undefined && (
        <p id={problemId} className="mt-1.5 text-sm text-danger">
          {problem}
        </p>
      )}
    </fieldset>
  )
}
