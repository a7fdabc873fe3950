import type { Page, Request } from 'playwright-core'

export interface Transferred {
  readonly requests: number
  /** Without headers. */
  readonly bytes: number
}

/**
 * Counts what a page loads from now on.
 *
 * @returns ends the counting: a request that finishes later, while the page is being closed, has no size any more
 */
export function countBytes(page: Page): () => Promise<Transferred> {
  const sizes: Array<Promise<number>> = []
  const add = (request: Request) => void sizes.push(request.sizes().then(({ responseBodySize }) => responseBodySize))
  page.on('requestfinished', add)
  return async () => {
    page.off('requestfinished', add)
    const bytes = await Promise.all(sizes)
    return { requests: bytes.length, bytes: bytes.reduce((sum, size) => sum + size, 0) }
  }
}
