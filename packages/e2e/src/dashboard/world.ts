import { need } from '@tollgate/sandbox/need.ts'
import type { Browser } from 'playwright-core'
import { share } from '../share.ts'
import { sharedSystem } from '../shared-system.ts'
import type { TestSystem } from '../start-test-system.ts'
import { fewProcesses, launchBrowser } from './browser.ts'

/** The browser and the system that all tests of the dashboard share. Null on a machine without a browser. */
export let browser: Browser | null = null
export let system: TestSystem

const start = share(async (endings) => {
  browser = await launchBrowser(fewProcesses)
  if (browser === null) return
  endings.teardown(() => browser!.close())
  system = await sharedSystem()
})

type BrowserTest = Parameters<typeof need>[0] & { teardown(handler: () => Promise<void>): void }

/** Starts the shared browser and system, if this is not done yet. At the end of the test its windows are closed. */
export async function openWorld(t: BrowserTest): Promise<void> {
  await start()
  if (!need(t, 'Chromium', browser)) return
  t.teardown(async () => {
    for (const context of browser!.contexts()) await context.close()
  })
}
