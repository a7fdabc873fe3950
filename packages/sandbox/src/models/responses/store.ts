import type { WholeItem } from './items.ts'
import type { SentResponse } from './response.ts'

/** A response that the server keeps. */
export interface StoredResponse {
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
