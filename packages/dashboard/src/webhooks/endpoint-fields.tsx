import { useQuery } from '@tanstack/react-query'
import type { WebhookEndpoint } from '@tollgate/contracts/http/webhooks.ts'
import { useId, useState } from 'react'
import type { ApiError } from '../api/api-error.ts'
import { TextField } from '../forms/fields.tsx'
import { useProblem } from '../forms/form.tsx'
import { QueryView } from '../ui/states.tsx'
import type { EventTypeInWords, WebhookArea } from './webhook-area.ts'

/** Nobody subscribes to it: test events go to the endpoint that asked for them. */
const testType = 'webhook.test'

/** The fields of an endpoint: empty for a new endpoint, else filled in from `present`. */
export function EndpointFields({
  area,
  present
}: {
  readonly area: WebhookArea
  readonly present: WebhookEndpoint | null
}) {
  return (
    <>
      <TextField
        name="url"
        label="URL"
        type="url"
        hint="We send a POST request with JSON there. It must be on the internet and use https."
        placeholder="https://example.com/webhooks"
        maxLength={2000}
        autoComplete="off"
        defaultValue={present?.url}
        required
      />
      <TextField
        name="description"
        label="Description"
        maxLength={200}
        autoComplete="off"
        defaultValue={present?.description}
        isOptional
      />
      <TypesField area={area} present={present?.event_types ?? null} />
    </>
  )
}

function TypesField({ area, present }: { readonly area: WebhookArea; readonly present: readonly string[] | null }) {
  const [isSelected, setSelected] = useState(present !== null)
  const types = useQuery<{ readonly event_types: readonly EventTypeInWords[] }, ApiError>({
    queryKey: [...area.key, 'types'],
    queryFn: ({ signal }) => area.listTypes(signal),
    enabled: isSelected
  })
  const problem = useProblem('event_types')
  const id = useId()
  const choice = (value: 'all' | 'some', text: string) => (
    <label className="flex min-h-8 items-center gap-2.5 text-sm">
      <input
        type="radio"
        name="type_choice"
        value={value}
        checked={isSelected === (value === 'some')}
        onChange={() => setSelected(value === 'some')}
        className="size-4 accent-accent"
      />
      {text}
    </label>
  )
  const problemId = problem === undefined ? undefined : id
  return (
    <fieldset aria-describedby={problemId}>
      <legend className="mb-1 text-sm font-medium">Events</legend>
      {choice('all', 'All events, also types that are added later')}
      {choice('some', 'Only selected types')}
      {isSelected && (
        <div className="mt-1 max-h-64 min-h-40 overflow-y-auto rounded-lg border border-line bg-canvas px-3 py-2">
          <QueryView query={types} lines={4}>
            {({ event_types: eventTypes }) =>
              eventTypes
                .filter(({ type }) => type !== testType)
                .map(({ type, description }) => (
                  <label key={type} className="flex gap-2.5 py-1.5 text-sm">
                    <input
                      type="checkbox"
                      name="event_types"
                      value={type}
                      defaultChecked={present?.includes(type) ?? false}
                      {...(problemId !== undefined && { 'aria-invalid': true, 'aria-describedby': problemId })}
                      className="mt-0.5 size-4 shrink-0 accent-accent"
                    />
                    <span className="min-w-0">
                      <span className="font-mono text-[0.8125rem] break-all">{type}</span>
                      <span className="block text-[0.8125rem] text-ink-soft">{description}</span>
                    </span>
                  </label>
                ))
            }
          </QueryView>
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
