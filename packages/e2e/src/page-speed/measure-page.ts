import type { Browser } from 'playwright-core'
import { visit } from '../dashboard/browser.ts'
import type { Person } from '../person.ts'
import type { TestSystem } from '../start-test-system.ts'
import { type Task, timeToInteractive } from './interactive.ts'

export type PageToMeasure = { readonly path: string; readonly title: string; readonly person: Person | null }

/** Bytes as they were transferred, without headers; milliseconds since the navigation began. */
export type PageSpeed = {
  readonly bytes: number
  readonly firstContentfulPaintMs: number
  /** The page's own title is there. */
  readonly shownMs: number
  /** A key that was pressed as soon as that was the case has moved the focus. */
  readonly answersMs: number
  readonly interactiveMs: number
}

type Seen = { firstPaint: number; longTasks: Task[] }

/** Longer than what has to be quiet after the last long task. */
const watchedMs = 2500

/** Notes in the page itself when something happens there. */
const observe = (title: string) => `
  const seen = { firstPaint: 0, longTasks: [] }
  const watch = (type, take) => new PerformanceObserver((list) => list.getEntries().forEach(take)).observe({ type, buffered: true })
  watch('paint', ({ name, startTime }) => { if (name === 'first-contentful-paint') seen.firstPaint = startTime })
  watch('longtask', ({ startTime, duration }) => seen.longTasks.push({ start: startTime, end: startTime + duration }))
  const shown = new Promise((resolve) => new MutationObserver((_, observer) => {
    if (document.querySelector('h1')?.textContent !== ${JSON.stringify(title)}) return
    observer.disconnect()
    resolve(performance.now())
  }).observe(document, { childList: true, subtree: true }))
  const focused = shown.then(() => new Promise((resolve) =>
    addEventListener('focusin', () => resolve(performance.now()), { once: true })))
  window.observed = { seen, shown, focused }
`

/**
 * Opens a page in a window that has nothing in its cache.
 *
 * @param slowdown how many times slower the page's processor is than this machine's
 */
export async function measurePage(
  browser: Browser,
  system: TestSystem,
  { path, title, person }: PageToMeasure,
  slowdown: number
): Promise<PageSpeed> {
  const { page, context } = await visit(browser, system, person === null ? {} : { person })
  const sizes: Array<Promise<number>> = []
  page.on('requestfinished', (request) => sizes.push(request.sizes().then(({ responseBodySize }) => responseBodySize)))
  const debuggerSession = await context.newCDPSession(page)
  await debuggerSession.send('Emulation.setCPUThrottlingRate', { rate: slowdown })
  await page.addInitScript(observe(title))
  await page.goto(path, { waitUntil: 'commit' })
  const shown = await page.evaluate<number>('observed.shown')
  await page.keyboard.press('Tab')
  const focused = await page.evaluate<number>('observed.focused')
  await page.waitForLoadState('networkidle')
  await page.waitForTimeout(watchedMs)
  const { firstPaint, longTasks } = await page.evaluate<Seen>('observed.seen')
  const bytes = (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0)
  await context.close()
  return {
    bytes,
    firstContentfulPaintMs: firstPaint,
    shownMs: shown,
    answersMs: focused,
    interactiveMs: timeToInteractive(Math.max(shown, firstPaint), longTasks)
  }
}
