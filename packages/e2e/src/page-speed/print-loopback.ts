import type { Browser } from 'playwright-core'
import type { Person } from '../person.ts'
import type { TestSystem } from '../start-test-system.ts'
import { median } from './interactive.ts'
import { measurePage, type PageSpeed } from './measure-page.ts'

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
export async function printLoopback(browser: Browser, system: TestSystem, person: Person): Promise<void> {
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
