import { useId, useRef } from 'react'
import { controlLook } from '../../forms/fields.tsx'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import type { Models } from './use-models.ts'

type SettingsProps = {
  readonly onKey: (key: string) => void
  readonly models: Models
  readonly chatModels: readonly string[]
  readonly model: string
  readonly onModel: (model: string) => void
  readonly system: string
  readonly onSystem: (system: string) => void
}

const describeAbsence = ({ names, isLoading }: Models): string =>
  isLoading ? 'Loading …' : names === null ? 'Paste a key to see its models' : 'This key calls no chat model'

/** With which key, model and instructions. */
export function Settings({ onKey, models, chatModels, model, onModel, system, onSystem }: SettingsProps) {
  const id = useId()
  const keyInput = useRef<HTMLInputElement>(null)
  const isWrong = models.problem !== null
  return (
    <Card title="Settings">
      <div className="space-y-4">
        <div>
          <label htmlFor={`${id}-key`} className="mb-1.5 block text-sm font-medium">
            API key
          </label>
          <input
            ref={keyInput}
            id={`${id}-key`}
            // Not a password: browsers offer to keep those, whatever the page asks for.
            type="text"
            autoComplete="off"
            autoCapitalize="off"
            autoCorrect="off"
            spellCheck={false}
            placeholder="tg_…"
            // With a value of React's, the key would stand in the page's HTML.
            defaultValue=""
            onChange={(event) => onKey(event.currentTarget.value)}
            aria-invalid={isWrong || undefined}
            aria-describedby={`${id}-key-hint`}
            className={`${controlLook} masked h-10 font-mono text-sm`}
          />
          <p
            id={`${id}-key-hint`}
            role="status"
            className={`mt-1.5 text-[0.8125rem] ${isWrong ? 'text-danger' : 'text-ink-soft'}`}
          >
            {models.problem ?? 'It is not stored: leave the page, and it is forgotten.'}
          </p>
          {models.retry !== null && (
            <Button
              size="small"
              className="mt-2"
              onClick={() => {
                // The button goes when the models are there.
                keyInput.current?.focus()
                models.retry?.()
              }}
            >
              Try again
            </Button>
          )}
        </div>
        <div>
          <label htmlFor={`${id}-model`} className="mb-1.5 block text-sm font-medium">
            Model
          </label>
          <select
            id={`${id}-model`}
            value={model}
            disabled={chatModels.length === 0}
            onChange={(event) => onModel(event.currentTarget.value)}
            className={`${controlLook} h-10 disabled:opacity-60`}
          >
            {chatModels.length === 0 && <option value="">{describeAbsence(models)}</option>}
            {chatModels.map((name) => (
              <option key={name} value={name}>
                {name}
              </option>
            ))}
          </select>
        </div>
        <div>
          <label htmlFor={`${id}-system`} className="mb-1.5 block text-sm font-medium">
            Instructions <span className="font-normal text-ink-soft">(optional)</span>
          </label>
          <textarea
            id={`${id}-system`}
            rows={4}
            placeholder="You are a helpful assistant."
            value={system}
            onChange={(event) => onSystem(event.currentTarget.value)}
            className={`${controlLook} resize-y py-2`}
          />
        </div>
      </div>
    </Card>
  )
}
