import { loadavg } from 'node:os'
import type { Browser } from 'playwright-core'
import { launchBrowser } from '../dashboard/browser.ts'
import { Person } from '../person.ts'
import { startTestSystem, type TestSystem } from '../start-test-system.ts'
import { median } from './interactive.ts'
import { measurePage, type PageSpeed } from './measure-page.ts'
import { printSlowPhone } from './print-slow-phone.ts'

const runs = 5
const slowdowns = [1, 4]
const columns: ReadonlyArray<readonly [name: string, of: (speed: PageSpeed) => number]> = [
  ['kB', ({ bytes }) => bytes / 1000],
  ['first paint ms', ({ firstContentfulPaintMs }) => firstContentfulPaintMs],
  ['shown ms', ({ shownMs }) => shownMs],
  ['responds to a key ms', ({ respondsMs }) => respondsMs],
  ['interactive ms', ({ interactiveMs }) => interactiveMs]
]

/** Prints how soon the first pages are shown and respond over loopback, at full and at quarter CPU speed. */
async function printLoopback(browser: Browser, system: TestSystem, person: Person): Promise<void> {
  console.log(`loopback, median of ${runs} runs each`)
  console.log(['page', 'slowdown', ...columns.map(([name]) => name)].join('\t'))
  for (const page of [
    { path: '/login', title: 'Sign in', person: null },
    { path: '/dashboard', title: 'Overview', person }
  ]) {
    for (const slowdown of slowdowns) {
      const speeds: PageSpeed[] = []
      for (let run = 0; run < runs; run++) speeds.push(await measurePage(browser, system, page, slowdown))
      const medians = columns.map(([, of]) => Math.round(median(speeds.map(of))))
      console.log([page.path, `${slowdown} x`, ...medians].join('\t'))
    }
  }
}

/**
 * `npm run page-speed`: measures how soon pages are shown and respond, with an empty cache. `npm run page-speed --
 * /login /dashboard` measures only these pages, on a slow phone.
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
