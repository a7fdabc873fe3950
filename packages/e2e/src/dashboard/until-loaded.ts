import type { Page } from 'playwright-core'

/** Waits until all parts of a page are loaded. */
export const untilLoaded = (page: Page): Promise<void> =>
  page.getByText('Loading…').first().waitFor({ state: 'detached' })
