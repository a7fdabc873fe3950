import { loadavg } from 'node:os'
import { launchBrowser } from '../dashboard/browser.ts'
import { Person } from '../person.ts'
import { startTestSystem } from '../start-test-system.ts'
import { median } from './interactive.ts'
import { measurePage, type PageSpeed } from './measure-page.ts'

/** `npm run page-speed`: measures how soon pages are shown and respond, with an empty cache, over loopback. */
const runs = 5
const slowdowns = [1, 4]
const columns: ReadonlyArray<readonly [name: string, of: (speed: PageSpeed) => number]> = [
  ['kB', ({ bytes }) => bytes / 1000],
  ['first paint ms', ({ firstContentfulPaintMs }) => firstContentfulPaintMs],
  ['shown ms', ({ shownMs }) => shownMs],
  ['responds to a key ms', ({ respondsMs }) => respondsMs],
  ['interactive ms', ({ interactiveMs }) => interactiveMs]
]

const endings: Array<() => Promise<void>> = []
try {
  const browser = await launchBrowser()
  if (browser === null) throw new Error('Chromium was not found on this machine')
  endings.push(() => browser.close())
  const system = await startTestSystem({ teardown: (handler) => void endings.push(handler) })
  const ada = await new Person(system, 'ada').join()
  const load = () => loadavg()[0]?.toFixed(1)
  console.log(`median of ${runs} runs each; load average ${load()} at the start`)
  console.log(['page', 'slowdown', ...columns.map(([name]) => name)].join('\t'))
  for (const page of [
    { path: '/login', title: 'Sign in', person: null },
    { path: '/dashboard', title: 'Overview', person: ada }
  ]) {
    for (const slowdown of slowdowns) {
      const speeds: PageSpeed[] = []
      for (let run = 0; run < runs; run++) speeds.push(await measurePage(browser, system, page, slowdown))
      const medians = columns.map(([, of]) => Math.round(median(speeds.map(of))))
      console.log([page.path, `${slowdown} x`, ...medians].join('\t'))
    }
  }
  console.log(`load average ${load()} at the end`)
} finally {
  for (const end of endings.toReversed()) await end()
}
