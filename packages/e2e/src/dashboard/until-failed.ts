import type { Page } from 'playwright-core'

/** Advances the clock past the automatic retries, until the given number of parts show an error. */
export async function untilFailed(page: Page, parts: number): Promise<void> {
  const failures = page.getByRole('button', { name: 'Try again' })
  const deadline = performance.now() + 120_000
  while ((await failures.count()) < parts && performance.now() < deadline) await page.clock.fastForward(1000)
}
