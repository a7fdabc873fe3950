import type { WebhookEndpoint } from '@tollgate/contracts/http/webhooks.ts'
import { ApiError } from '../api/api-error.ts'
import type { EndpointForm } from './read-endpoint-form.ts'
import type { WebhookArea, WithSecret } from './webhook-area.ts'

type Area = Pick<WebhookArea, 'list' | 'create' | 'change' | 'rotate'>

/**
 * Creates one endpoint, however often it is called. If the answer of a call was lost, the next call looks for the endpoint first.
 * It then gets the requested settings and another secret, because nobody has seen the first one.
 *
 * @param known ids of the endpoints that existed before
 * @returns a function that throws ApiError
 */
export function createOnce(area: Area, known: ReadonlySet<string>): (asked: EndpointForm) => Promise<WithSecret> {
  let lostUrl: string | null = null
  return async (asked) => {
    const made = lostUrl === null ? undefined : await findNew(area, known, lostUrl)
    if (made !== undefined) {
      await area.change(made.id, asked)
      return area.rotate(made.id, 0)
    }
    try {
      return await area.create(asked)
    } catch (error) {
      if (error instanceof ApiError && error.isAnswerLost) lostUrl = asked.url
      throw error
    }
  }
}

async function findNew(area: Area, known: ReadonlySet<string>, url: string): Promise<WebhookEndpoint | undefined> {
  const { endpoints } = await area.list(new AbortController().signal)
  return endpoints.find((endpoint) => endpoint.url === url && !known.has(endpoint.id))
}
