import { type ReactNode, useId, useState } from 'react'
import { formatUsd } from '../../format/money.ts'
import type { Account } from '../../layout/owner.tsx'
import { Card } from '../../ui/card.tsx'
import { controlLook } from '../../ui/class-names.ts'
import { Fold } from '../../ui/fold.tsx'
import { type Option, SelectBox } from '../../ui/select-box.tsx'
import type { Draft } from './chat.ts'
import type { readParameters, TypedParameters } from './parameters.ts'

interface SettingsCardProps {
  /** Those that can be chosen. */
  readonly models: Account['models']
  readonly model: string
  readonly onModel: (model: string) => void
  /** The model to compare with; empty without one. */
  readonly second: string
  readonly draft: Draft
  readonly onChange: (change: Partial<Draft>) => void
  readonly problems: ReturnType<typeof readParameters>['problems']
}

/** Chooses the models, the system prompt and the parameters of the next call. */
export function SettingsCard(props: SettingsCardProps) {
  // Narrow screens show the conversation first.
  const [isWide] = useState(() => window.matchMedia('(min-width: 80rem)').matches)
  return (
    <Card title="Settings" className="h-fit xl:sticky xl:top-6">
      <div className="space-y-4">
        <div className="grid grid-cols-2 gap-4 xl:grid-cols-1">
          <ModelChoices {...props} />
        </div>
        <Fold title="Prompt and parameters" isOpen={isWide}>
          <PromptAndParameters {...props} />
        </Fold>
      </div>
    </Card>
  )
}

const optionsOf = (names: readonly string[]): Option[] => names.map((name) => [name, name])

function ModelChoices({ models, model, onModel, second, onChange }: SettingsCardProps) {
  const names = models.map(({ id }) => id)
  const chosen = models.find(({ id }) => id === model)
  return (
    <>
      <Labelled label="Model" hint={chosen === undefined ? undefined : describePrice(chosen)}>
        {(control) => (
          <SelectBox
            control={control}
            value={model}
            options={names.length === 0 ? [['', 'Your plan has no chat model']] : optionsOf(names)}
            isDisabled={names.length === 0}
            onChange={onModel}
          />
        )}
      </Labelled>
      <Labelled label="Compare with" hint="Asks both models at once. Both answers are charged.">
        {(control) => (
          <SelectBox
            control={control}
            value={second}
            options={[['', 'No other model'], ...optionsOf(names.filter((name) => name !== model))]}
            isDisabled={names.length < 2}
            onChange={(compared) => onChange({ compared })}
          />
        )}
      </Labelled>
    </>
  )
}

function PromptAndParameters({ draft: { system, typed }, onChange, problems }: SettingsCardProps) {
  const field = (name: keyof TypedParameters, label: string, inputMode: 'decimal' | 'numeric') => (
    <Labelled label={label} problem={problems[name]}>
      {(control) => (
        <input
          {...control}
          inputMode={inputMode}
          autoComplete="off"
          placeholder="Default"
          value={typed[name]}
          onChange={(event) => onChange({ typed: { ...typed, [name]: event.currentTarget.value } })}
          className={`${controlLook} h-10`}
        />
      )}
    </Labelled>
  )
  return (
    <>
      <Labelled label="System prompt">
        {(control) => (
          <textarea
            {...control}
            rows={4}
            placeholder="You are a helpful assistant."
            value={system}
            onChange={(event) => onChange({ system: event.currentTarget.value })}
            className={`${controlLook} resize-y py-2`}
          />
        )}
      </Labelled>
      <div className="grid grid-cols-2 gap-4">
        {field('temperature', 'Temperature', 'decimal')}
        {field('maxTokens', 'Max tokens', 'numeric')}
      </div>
    </>
  )
}

interface LabelledProps {
  readonly label: string
  readonly hint?: string | undefined
  readonly problem?: string | undefined
  readonly children: (control: { id: string; 'aria-describedby'?: string; 'aria-invalid'?: true }) => ReactNode
}

/** A control that applies at once, with its label above, and its problem or hint below. */
function Labelled({ label, hint, problem, children }: LabelledProps) {
  const id = useId()
  const below = problem ?? hint
  return (
    <div className="min-w-0">
      <label htmlFor={id} className="mb-1.5 block text-sm font-medium">
        {label}
      </label>
      {children({
        id,
        ...(below !== undefined && { 'aria-describedby': `${id}-below` }),
        ...(problem !== undefined && { 'aria-invalid': true })
      })}
      {below !== undefined && (
        <p
          id={`${id}-below`}
          className={`mt-1.5 text-[0.8125rem] ${problem === undefined ? 'text-ink-soft' : 'text-danger'}`}
        >
          {below}
        </p>
      )}
    </div>
  )
}

/** The prices of a model in one line: `$0.15 input, $0.60 output per million tokens`. */
function describePrice({ usd_per_million_tokens: usd }: Account['models'][number]): string {
  return `${formatUsd(usd.input)} input, ${formatUsd(usd.output)} output per million tokens`
}
