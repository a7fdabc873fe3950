import { loadavg } from 'node:os'
import { launchBrowser } from '../dashboard/browser.ts'
import { Person } from '../person.ts'
import { startTestSystem } from '../start-test-system.ts'
import { printLoopback } from './print-loopback.ts'
import { printSlowPhone } from './print-slow-phone.ts'

/**
 * `npm run page-speed`: measures how soon pages are shown and respond, with an empty cache. `npm run page-speed -- /login
 * /dashboard` measures only these pages, on a slow phone.
 */
const only = process.argv.slice(2)

const endings: Array<() => Promise<void>> = []
try {
  const browser = await launchBrowser()
  if (browser === null) throw new Error('Chromium was not found on this machine')
  endings.push(() => browser.close())
  const system = await startTestSystem({ teardown: (handler) => void endings.push(handler) })
  const load = () => loadavg()[0]?.toFixed(1)
  console.log(`load average ${load()} at the start`)
  if (only.length === 0) await printLoopback(browser, system, await new Person(system, 'ada').join())
  await printSlowPhone(browser, system, only)
  console.log(`load average ${load()} at the end`)
} finally {
  for (const end of endings.toReversed()) await end()
}
