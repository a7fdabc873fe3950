import type { Page } from 'playwright-core'

/** Advances the clock past the automatic attempts, until no part shows an error. */
export async function untilRecovered(page: Page): Promise<void> {
  const failures = page.getByRole('alert')
  const deadline = performance.now() + 120_000
  while ((await failures.count()) > 0 && performance.now() < deadline) await page.clock.fastForward(1000)
}
