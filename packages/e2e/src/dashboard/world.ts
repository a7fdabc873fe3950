import type { Browser } from 'playwright-core'
import t from 'tap'
import { startTestSystem, type TestSystem } from '../start-test-system.ts'
import { brandName } from './brand.ts'
import { startBrowser } from './browser.ts'

/** The browser and the system that all tests of the dashboard share. Null on a machine without a browser. */
export let browser: Browser | null = null
export let system: TestSystem

// Generous, because there are many tests and other tests run at the same time.
t.setTimeout(1_200_000)
t.before(async () => {
  browser = await startBrowser(t)
  // Each `Person` has its own IP address, so that rate limits per address count them separately.
  // Webhooks may reach the servers of the tests.
  const env = { TRUST_PROXY: 'loopback', WEBHOOK_ALLOWED_NETWORKS: '127.0.0.1/32', BRAND_NAME: brandName }
  if (browser !== null) system = await startTestSystem(t, { env })
})
