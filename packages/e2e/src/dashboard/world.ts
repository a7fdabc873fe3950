import type { Browser } from 'playwright-core'
import t from 'tap'
import { startTestSystem, type TestSystem } from '../start-test-system.ts'
import { startBrowser } from './browser.ts'

/** What all tests of the dashboard use, from the first of them on. Null on a machine without a browser. */
export let browser: Browser | null = null
export let system: TestSystem

// They are many; and a machine may have more to do.
t.setTimeout(600_000)
t.before(async () => {
  browser = await startBrowser(t)
  // Each `Person` has an address, so that limits by address do not take all of them for one.
  if (browser !== null) system = await startTestSystem(t, { env: { TRUST_PROXY: 'loopback' } })
})
