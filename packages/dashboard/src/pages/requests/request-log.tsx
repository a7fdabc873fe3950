import type { QueryKey } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import type { Answer } from '../../api/call.ts'
import { TextField } from '../../forms/fields.tsx'
import { Form, type Reading } from '../../forms/form.tsx'
import { textOf } from '../../forms/read-fields.ts'
import { requestIdIn } from '../../layout/commands.ts'
import { Button } from '../../ui/button.tsx'
import type { ExportFormat } from '../../ui/export-links.tsx'
import type { ListedRequest } from './describe-request.ts'
import type { RequestsSearch } from './requests-search.ts'

/** A part of the log, newest requests first. */
export interface LogPage extends Omit<Answer<'listRequests'>, 'requests' | 'is_logging'> {
  readonly requests: readonly ListedRequest[]
}

/** The filters as the API takes them, and which part is wanted. */
interface LogQuery extends RequestsSearch {
  readonly limit: string
  readonly cursor: string | undefined
}

/**
 * The requests of the reader's account or, for operators, of any account: where they are read, and where their receipts
 * are.
 */
export interface RequestLog {
  /** The key of each cached part of the log starts with this. */
  readonly key: QueryKey
  /** The page of a receipt is below it. */
  readonly receipts: '/dashboard/requests' | '/dashboard/operator/requests'
  /** Whether each listed request names its provider. */
  readonly hasProviders: boolean
  readonly list: (query: LogQuery, signal: AbortSignal) => Promise<LogPage>
  /** Fails if the reader may not export now. */
  readonly checkExport?: () => Promise<unknown>
  /** The address of an export with these filters. */
  readonly exportPath: (search: RequestsSearch, format: ExportFormat) => string
}

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
