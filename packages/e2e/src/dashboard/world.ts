import type { CreatedKey } from '@tollgate/contracts/http/keys.ts'
import { need } from '@tollgate/sandbox/need.ts'
import type { Browser } from 'playwright-core'
import { Person } from '../person.ts'
import { share } from '../share.ts'
import { chatOutcome, openaiClient, sharedSystem, type TestSystem } from '../start-test-system.ts'
import { fewProcesses, launchBrowser } from './browser.ts'

/** A name and a label that a page must show as text. */
export const hostile = '<img src=x onerror="alert(1)">"\'`=cmd|x!A1'

/** Where a webhook of ada goes. Nothing listens there. */
export const deadReceiver = 'http://127.0.0.1:1024/webhooks'

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

/** Makes the owner of a team, with a key, an invitation, a webhook and usage. */
export async function joinAda(): Promise<Person> {
  const ada = await new Person(system, 'ada').join('team')
  await ada.call('PATCH', '/api/auth/me', { name: hostile })
  const { body } = await ada.call<{ key: CreatedKey }>('POST', '/api/keys', {
    label: hostile,
    metadata: { a: hostile }
  })
  await ada.call('POST', '/api/webhooks', { url: deadReceiver, description: hostile })
  await ada.call('POST', '/api/team/seats', { email: 'grace@example.com' })
  await chatOutcome(openaiClient(system.addresses.gateways[0]!, body.key.value))
  return ada
}
