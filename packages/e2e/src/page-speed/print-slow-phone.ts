import type { Browser, Page } from 'playwright-core'
import { visit } from '../dashboard/browser.ts'
import { publicPages } from '../dashboard/pages.ts'
import { Person } from '../person.ts'
import { sitePages } from '../site/site-pages.ts'
import { openaiClient, type TestSystem } from '../start-test-system.ts'
import { countBytes, type PageToMeasure, type Transferred } from './measure-page.ts'

/** A slow phone in a slow network. */
const slowPhone = { bitsPerSecond: 1_600_000, latencyMs: 150, slowdown: 4, width: 412, height: 823 }

/** A script for the page that records what the browser paints and moves. */
const observe = `
  const vitals = { first: 0, largest: 0, element: '', shift: 0, shifted: [] }
  const name = (node) => node?.nodeType !== 1 ? String(node?.textContent ?? '') :
    node.localName + ' ' + String(node.textContent).slice(0, 40).replace(/\\s+/g, ' ')
  const watch = (type, take) => new PerformanceObserver((list) => list.getEntries().forEach(take)).observe({ type, buffered: true })
  watch('paint', ({ name, startTime }) => { if (name === 'first-contentful-paint') vitals.first = startTime })
  watch('largest-contentful-paint', ({ startTime, element }) => {
    vitals.largest = startTime
    vitals.element = name(element)
  })
  watch('layout-shift', ({ value, hadRecentInput, sources }) => {
    if (hadRecentInput) return
    vitals.shift += value
    vitals.shifted.push(value.toFixed(4) + ': ' + sources.map(({ node }) => name(node)).join(' | '))
  })
  window.vitals = vitals
`

/** Time for the last paint after the last answer. */
const settlingMs = 700

/** The links of the dashboard's menu. Path and title. */
async function pagesOfMenu(page: Page): Promise<Array<readonly [path: string, title: string]>> {
  await page.goto('/dashboard')
  const links = page.getByRole('navigation', { name: 'Dashboard' }).getByRole('link')
  await links.first().waitFor()
  return Promise.all(
    (await links.all()).map(
      async (link) => [String(await link.getAttribute('href')), String(await link.textContent()).trim()] as const
    )
  )
}

/** The pages around signing in. Fragments are left out: the page itself reads them. */
const pagesOfStrangers = publicPages
  .filter(([, path]) => !path.startsWith('/dashboard') && !path.includes('#'))
  .map(([title, path]) => [path, title] as const)

const limits = { publicPaintMs: 1500, ownPaintMs: 2500, layoutShift: 0.02 }

/**
 * Prints the web vitals of every page on a slow phone: each layout of the public pages, the pages around signing in, and
 * an operator's whole menu.
 *
 * @param only the paths to measure; none means all
 */
export async function printSlowPhone(browser: Browser, system: TestSystem, only: readonly string[]): Promise<void> {
  const { bitsPerSecond, latencyMs, slowdown } = slowPhone
  console.log(`\n${bitsPerSecond / 1e6} Mbit/s, ${latencyMs} ms latency, CPU ÷ ${slowdown}, one run each`)
  console.log(['page', 'requests', 'kB', 'first paint ms', 'LCP ms', 'CLS'].join('\t'))
  for (const page of await allPages(browser, system)) {
    if (only.length > 0 && !only.includes(page.path)) continue
    const vitals = await measureWebVitals(browser, system, page)
    const paintMs = page.person === null ? limits.publicPaintMs : limits.ownPaintMs
    console.log([page.path, ...figuresOf(vitals), ...excessesOf(vitals, paintMs)].join('\t'))
  }
}

async function allPages(browser: Browser, system: TestSystem): Promise<PageToMeasure[]> {
  const olga = await new Person(system, 'olga').joinAsOperator()
  await useOnce(system, olga)
  const { page, context } = await visit(browser, system, { person: olga })
  const own = await pagesOfMenu(page)
  await context.close()
  return [
    ...sitePages.map(([title, path]) => ({ path, title, person: null })),
    ...pagesOfStrangers.map(([path, title]) => ({ path, title, person: null })),
    ...own.filter(([path]) => path.startsWith('/dashboard')).map(([path, title]) => ({ path, title, person: olga }))
  ]
}

/** Makes a key and a request with it, so that pages have something to show. */
async function useOnce(system: TestSystem, person: Person): Promise<void> {
  const { key } = (await person.createKey('Production')).body
  await openaiClient(system.addresses.gateway, key.value).chat.completions.create({
    model: 'gpt-4o-mini',
    max_tokens: 5,
    messages: [{ role: 'user', content: 'Hi' }]
  })
}

function figuresOf(vitals: WebVitals): string[] {
  const { requests, bytes, firstContentfulPaintMs, largestContentfulPaintMs, layoutShift } = vitals
  return [
    ...[requests, bytes / 1000, firstContentfulPaintMs, largestContentfulPaintMs].map((figure) => figure.toFixed(0)),
    layoutShift.toFixed(3)
  ]
}

/** What is above a limit, with its cause. */
function excessesOf(vitals: WebVitals, paintMs: number): string[] {
  return [
    ...(vitals.largestContentfulPaintMs > paintMs ? [`LCP: ${vitals.largestElement}`] : []),
    ...(vitals.layoutShift > limits.layoutShift ? vitals.shifted : [])
  ]
}

/** Metrics of web.dev/vitals. Milliseconds since navigation started. */
interface WebVitals extends Transferred {
  readonly firstContentfulPaintMs: number
  readonly largestContentfulPaintMs: number
  /** The element that was painted at that time, for the reader. */
  readonly largestElement: string
  /** The sum of all shifts without input, which is never less than the metric of web.dev. */
  readonly layoutShift: number
  /** The parts of the page that moved, for the reader. */
  readonly shifted: readonly string[]
}

/** Opens a page on a {@link slowPhone} with an empty cache, and waits until all its parts are loaded. */
async function measureWebVitals(
  browser: Browser,
  system: TestSystem,
  { path, title, person }: PageToMeasure
): Promise<WebVitals> {
  const { bitsPerSecond, latencyMs, slowdown, width, height } = slowPhone
  const options = { viewport: { width, height }, ...(person !== null && { person }) }
  const { page, context } = await visit(browser, system, options)
  const endCount = countBytes(page)
  const debuggerSession = await context.newCDPSession(page)
  await debuggerSession.send('Network.enable')
  await debuggerSession.send('Network.emulateNetworkConditions', {
    offline: false,
    latency: latencyMs,
    downloadThroughput: bitsPerSecond / 8,
    uploadThroughput: bitsPerSecond / 8
  })
  await debuggerSession.send('Emulation.setCPUThrottlingRate', { rate: slowdown })
  await page.addInitScript(observe)
  await page.goto(path, { waitUntil: 'commit' })
  await page.getByRole('heading', { name: title, level: 1 }).waitFor()
  // The first view has a title, too, and the page itself may paint something larger.
  await page.locator('#first-view').waitFor({ state: 'detached' })
  // The code of a chart is loaded when it comes into view: its place does not wait.
  await page.locator('[data-waiting]').first().waitFor({ state: 'detached' })
  await page.waitForLoadState('networkidle')
  await page.waitForTimeout(settlingMs)
  const seen = await page.evaluate<{
    first: number
    largest: number
    element: string
    shift: number
    shifted: string[]
  }>('vitals')
  const transferred = await endCount()
  await context.close()
  return {
    ...transferred,
    firstContentfulPaintMs: seen.first,
    largestContentfulPaintMs: seen.largest,
    largestElement: seen.element,
    layoutShift: seen.shift,
    shifted: seen.shifted
  }
}
