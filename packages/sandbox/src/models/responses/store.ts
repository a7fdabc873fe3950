import { ApiError, invalidRequest } from '../api-error.ts'
import type { WholeItem } from './items.ts'
import { responseNotFound } from './request.ts'
import type { SentResponse } from './response.ts'

const pattern = /^\/v1\/responses\/([^/]+)(?:\/(cancel|input_items))?$/
const maxLimit = 100

/** A response that the server keeps. */
interface StoredResponse {
  readonly response: SentResponse
  /** The items of its request, with ids. */
  readonly input: readonly WholeItem[]
  /** All items from the start of the chain to this response's output. */
  readonly chain: readonly WholeItem[]
}

const maxResponses = 2000

/** The responses that can be read, continued and deleted. Keeps the latest 2,000. */
export class ResponseStore {
  readonly #responses = new Map<string, StoredResponse>()
  readonly #items = new Map<string, WholeItem>()

  keep(stored: StoredResponse): void {
    this.#responses.set(stored.response.id, stored)
    for (const item of ownItems(stored)) this.#items.set(item.id ?? '', item)
    const [oldest = ''] = this.#responses.keys()
    if (this.#responses.size > maxResponses) this.delete(oldest)
  }

  find(id: string): StoredResponse | null {
    return this.#responses.get(id) ?? null
  }

  /** The item that a reference names. */
  findItem(id: string): WholeItem | null {
    return this.#items.get(id) ?? null
  }

  /** Deletes a response and its items. Returns whether it existed. */
  delete(id: string): boolean {
    const stored = this.#responses.get(id)
    if (stored === undefined) return false
    for (const item of ownItems(stored)) this.#items.delete(item.id ?? '')
    return this.#responses.delete(id)
  }
}

function ownItems({ input, chain, response }: StoredResponse): readonly WholeItem[] {
  return [...input, ...chain.slice(chain.length - response.output.length)]
}

/**
 * Answers a request about a stored response:
 *
 * - `GET /v1/responses/<id>` and `DELETE /v1/responses/<id>`
 * - `GET /v1/responses/<id>/input_items?limit=<1–100>&order=<asc or desc>&after=<item>`
 * - `POST /v1/responses/<id>/cancel`, which is refused, because no response runs in the background
 *
 * @returns null for another path or method
 * @throws ApiError (404) without the response
 */
export function askStored(method: string, path: string, query: URLSearchParams, store: ResponseStore): object | null {
  const [, id, part] = pattern.exec(path) ?? []
  const route = `${method} ${part ?? ''}`
  if (id === undefined || !['GET ', 'DELETE ', 'POST cancel', 'GET input_items'].includes(route)) return null
  const stored = store.find(id)
  if (stored === null) throw new ApiError(404, responseNotFound(id))
  if (route === 'GET input_items') return listItems(stored, query)
  if (route === 'POST cancel') throw invalidRequest('Cannot cancel a synchronous response.')
  if (route === 'DELETE ') {
    store.delete(stored.response.id)
    return { id: stored.response.id, object: 'response', deleted: true }
  }
  if (query.get('stream') === 'true') {
    const message = 'This response cannot be streamed because it was not created with background=true.'
    throw invalidRequest(message, 'stream')
  }
  return stored.response
}

function listItems({ input }: StoredResponse, query: URLSearchParams): object {
  const limit = Number(query.get('limit') ?? 20)
  if (!Number.isInteger(limit) || limit < 1 || limit > maxLimit) {
    throw invalidRequest(`Invalid 'limit': expected a value from 1 to ${maxLimit}.`, 'limit', 'invalid_value')
  }
  const sorted = query.get('order') === 'asc' ? [...input] : [...input].reverse()
  const after = query.get('after')
  const from = after === null ? 0 : sorted.findIndex(({ id }) => id === after) + 1
  if (after !== null && from === 0) throw new ApiError(404, { message: `Item with id '${after}' not found.` })
  const data = sorted.slice(from, from + limit)
  return {
    object: 'list',
    data,
    first_id: data[0]?.id ?? null,
    last_id: data.at(-1)?.id ?? null,
    has_more: from + limit < sorted.length
  }
}
