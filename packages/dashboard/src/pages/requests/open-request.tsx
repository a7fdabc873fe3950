import { useNavigate } from '@tanstack/react-router'
import { TextField } from '../../forms/fields.tsx'
import { Form, type Reading } from '../../forms/form.tsx'
import { textOf } from '../../forms/read-fields.ts'
import { requestIdIn } from '../../layout/commands.ts'
import { Button } from '../../ui/button.tsx'
import type { RequestLog } from './request-log.ts'

function readId(data: FormData): Reading<string> {
  const id = requestIdIn(textOf(data, 'id'))
  return id === null
    ? {
        ok: false,
        problems: { id: 'Enter the whole id: req_ and 36 characters. It is the header x-request-id of the answer.' }
      }
    : { ok: true, values: id }
}

/** Opens a request whose id somebody has from an answer or from their own log. */
export function OpenRequest({ receipts }: Pick<RequestLog, 'receipts'>) {
  const navigate = useNavigate()
  return (
    <Form
      read={readId}
      submit={(id) => navigate({ to: `${receipts}/$id` as const, params: { id } })}
      className="flex items-start gap-3 sm:max-w-xl"
    >
      {(isBusy) => (
        <>
          <div className="min-w-0 flex-1">
            <TextField
              name="id"
              label="Open a request by its id"
              placeholder="req_…"
              autoComplete="off"
              autoCapitalize="off"
              spellCheck={false}
            />
          </div>
          <Button type="submit" isBusy={isBusy} className="mt-6.5">
            Open
          </Button>
        </>
      )}
    </Form>
  )
}
