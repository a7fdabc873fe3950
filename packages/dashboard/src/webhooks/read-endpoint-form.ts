import type { WebhookEndpoint } from '@tollgate/contracts/http/webhooks.ts'
import { ApiError } from '../api/api-error.ts'
import type { Reading } from '../forms/form.tsx'
import { onlyProblems, textOf } from '../forms/read-fields.ts'
import type { WebhookArea, WithSecret } from './webhook-area.ts'

interface EndpointForm {
  url: string
  description: string
  /** Null for all types. */
  event_types: string[] | null
}

/** Reads the form of an endpoint. The API checks where the address leads. */
export function readEndpointForm(data: FormData): Reading<EndpointForm> {
  const url = textOf(data, 'url').trim()
  const types = data.getAll('event_types').filter((type) => typeof type === 'string')
  const isSelected = textOf(data, 'type_choice') === 'some'
  const problems = onlyProblems({
    url: problemOfUrl(url),
    event_types: isSelected && types.length === 0 ? 'Select at least one type, or choose all events.' : null
  })
  if (Object.keys(problems).length > 0) return { ok: false, problems }
  return {
    ok: true,
    values: { url, description: textOf(data, 'description').trim(), event_types: isSelected ? types : null }
  }
}

function problemOfUrl(url: string): string | null {
  if (url === '') return 'Enter the address of your server.'
  return URL.canParse(url) && /^https?:\/\//i.test(url)
    ? null
    : 'Enter an address such as https://example.com/webhooks.'
}

type Area = Pick<WebhookArea, 'list' | 'create' | 'change' | 'rotate'>

/**
 * Creates one endpoint, however often it is called. If the answer of a call was lost, the next call looks for the
 * endpoint first. It then gets the requested settings and another secret, because nobody has seen the first one.
 *
 * @param existing ids of the endpoints that existed before
 * @returns a function that throws ApiError
 */
export function createOnce(area: Area, existing: ReadonlySet<string>): (form: EndpointForm) => Promise<WithSecret> {
  let lostUrl: string | null = null
  return async (request) => {
    const made = lostUrl === null ? undefined : await findNew(area, existing, lostUrl)
    if (made !== undefined) {
      await area.change(made.id, request)
      return area.rotate(made.id, 0)
    }
    try {
      return await area.create(request)
    } catch (error) {
      if (error instanceof ApiError && error.isAnswerLost) lostUrl = request.url
      throw error
    }
  }
}

async function findNew(area: Area, existing: ReadonlySet<string>, url: string): Promise<WebhookEndpoint | undefined> {
  const { endpoints } = await area.list(new AbortController().signal)
  return endpoints.find((endpoint) => endpoint.url === url && !existing.has(endpoint.id))
}
