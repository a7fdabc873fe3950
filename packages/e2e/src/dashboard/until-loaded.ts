import { setTimeout as delay } from 'node:timers/promises'
import type { Page } from 'playwright-core'

const timeoutMs = 60_000

/** Waits until all parts of a page are loaded. Brings them into view: charts below it are not loaded. */
export async function untilLoaded(page: Page): Promise<void> {
  const loading = page.getByText('Loading…')
  const deadline = performance.now() + timeoutMs
  while (performance.now() < deadline) {
    const count = await loading.evaluateAll((found) => {
      found[0]?.scrollIntoView()
      return found.length
    })
    if (count === 0) return
    await delay(50)
  }
  throw new Error(`${page.url()} was not loaded after ${timeoutMs / 1000} s`)
}
