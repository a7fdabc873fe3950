import { useId, useRef } from 'react'
import { controlLook } from '../../forms/fields.tsx'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import type { Models } from './use-models.ts'

interface SettingsProps {
  readonly onKey: (key: string) => void
  readonly models: Models
  readonly chatModels: readonly string[]
  readonly model: string
  readonly onModel: (model: string) => void
  readonly system: string
  readonly onSystem: (system: string) => void
}

const whyNoModels = ({ names, isLoading }: Models): string =>
  isLoading ? 'Loading …' : names === null ? 'Paste a key to see its models' : 'This key cannot call a chat model'

/** Chooses the key, the model and the system prompt. */
export function Settings({ onKey, models, chatModels, model, onModel, system, onSystem }: SettingsProps) {
  const id = useId()
  return (
    <Card title="Settings">
      <div className="space-y-4">
        <KeyField onKey={onKey} models={models} />
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
            {chatModels.length === 0 && <option value="">{whyNoModels(models)}</option>}
            {chatModels.map((name) => (
              <option key={name} value={name}>
                {name}
              </option>
            ))}
          </select>
        </div>
        <div>
          <label htmlFor={`${id}-system`} className="mb-1.5 block text-sm font-medium">
            System prompt <span className="font-normal text-ink-soft">(optional)</span>
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

function KeyField({ onKey, models }: Pick<SettingsProps, 'onKey' | 'models'>) {
  const id = useId()
  const keyInput = useRef<HTMLInputElement>(null)
  const isInvalid = models.problem !== null
  return (
    <div>
      <label htmlFor={id} className="mb-1.5 block text-sm font-medium">
        API key
      </label>
      <input
        ref={keyInput}
        id={id}
        // Not a password field: browsers offer to store passwords, even with autocomplete off.
        type="text"
        autoComplete="off"
        autoCapitalize="off"
        autoCorrect="off"
        spellCheck={false}
        placeholder="tg_…"
        // A controlled value would put the key into the page's HTML.
        defaultValue=""
        onChange={(event) => onKey(event.currentTarget.value)}
        aria-invalid={isInvalid || undefined}
        aria-describedby={`${id}-hint`}
        className={`${controlLook} masked h-10 font-mono text-sm`}
      />
      <p
        id={`${id}-hint`}
        role="status"
        className={`mt-1.5 text-[0.8125rem] ${isInvalid ? 'text-danger' : 'text-ink-soft'}`}
      >
        {models.problem ?? 'The key is not stored. It is gone when you leave this page.'}
      </p>
      {models.retry !== null && (
        <Button
          size="small"
          className="mt-2"
          onClick={() => {
            // The button disappears once the models are loaded.
            keyInput.current?.focus()
            models.retry?.()
          }}
        >
          Try again
        </Button>
      )}
    </div>
  )
}
