import type { Browser, Page, Request } from 'playwright-core'
import { visit } from '../dashboard/browser.ts'
import type { Person } from '../person.ts'
import type { TestSystem } from '../start-test-system.ts'
import { type Task, timeToInteractive } from './interactive.ts'

export interface PageToMeasure {
  readonly path: string
  readonly title: string
  readonly person: Person | null
}

/** Transferred bytes without headers; milliseconds since navigation started. */
export interface PageSpeed {
  readonly bytes: number
  readonly firstContentfulPaintMs: number
  /** When the page's own title appeared. */
  readonly shownMs: number
  /** When a key pressed right then moved the focus. */
  readonly respondsMs: number
  readonly interactiveMs: number
}

interface Seen {
  firstPaint: number
  longTasks: Task[]
}

/** Longer than the quiet time after the last long task. */
const watchedMs = 2500

/** A script for the page that records when events happen. */
const observe = (title: string) => `
  const seen = { firstPaint: 0, longTasks: [] }
  const watch = (type, take) => new PerformanceObserver((list) => list.getEntries().forEach(take)).observe({ type, buffered: true })
  watch('paint', ({ name, startTime }) => { if (name === 'first-contentful-paint') seen.firstPaint = startTime })
  watch('longtask', ({ startTime, duration }) => seen.longTasks.push({ start: startTime, end: startTime + duration }))
  const shown = new Promise((resolve) => new MutationObserver((_, observer) => {
    // The first view has a title, too, but answers no key.
    const isTitle = (h1) => h1.closest('[inert]') === null && h1.textContent === ${JSON.stringify(title)}
    if (![...document.querySelectorAll('h1')].some(isTitle)) return
    observer.disconnect()
    resolve(performance.now())
  }).observe(document, { childList: true, subtree: true }))
  const focused = shown.then(() => new Promise((resolve) =>
    addEventListener('focusin', () => resolve(performance.now()), { once: true })))
  window.observed = { seen, shown, focused }
`

/**
 * Opens a page with an empty cache and measures it.
 *
 * @param slowdown how many times slower the CPU is than this machine's
 */
export async function measurePage(
  browser: Browser,
  system: TestSystem,
  { path, title, person }: PageToMeasure,
  slowdown: number
): Promise<PageSpeed> {
  const { page, context } = await visit(browser, system, person === null ? {} : { person })
  const endCount = countBytes(page)
  const debuggerSession = await context.newCDPSession(page)
  await debuggerSession.send('Emulation.setCPUThrottlingRate', { rate: slowdown })
  await page.addInitScript(observe(title))
  await page.goto(path, { waitUntil: 'commit' })
  const shownMs = await page.evaluate<number>('observed.shown')
  await page.keyboard.press('Tab')
  const focused = await page.evaluate<number>('observed.focused')
  await page.waitForLoadState('networkidle')
  await page.waitForTimeout(watchedMs)
  const { firstPaint, longTasks } = await page.evaluate<Seen>('observed.seen')
  const { bytes } = await endCount()
  await context.close()
  return {
    bytes,
    firstContentfulPaintMs: firstPaint,
    shownMs,
    respondsMs: focused,
    interactiveMs: timeToInteractive(Math.max(shownMs, firstPaint), longTasks)
  }
}

export interface Transferred {
  readonly requests: number
  /** Without headers. */
  readonly bytes: number
}

/**
 * Counts what a page loads from now on.
 *
 * @returns ends the counting: a request that finishes later, while the page is being closed, has no size any more
 */
export function countBytes(page: Page): () => Promise<Transferred> {
  const sizes: Array<Promise<number>> = []
  const add = (request: Request) => void sizes.push(request.sizes().then(({ responseBodySize }) => responseBodySize))
  page.on('requestfinished', add)
  return async () => {
    page.off('requestfinished', add)
    const bytes = await Promise.all(sizes)
    return { requests: bytes.length, bytes: bytes.reduce((sum, size) => sum + size, 0) }
  }
}
