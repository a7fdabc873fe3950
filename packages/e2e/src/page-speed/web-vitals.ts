import type { Browser } from 'playwright-core'
import { visit } from '../dashboard/browser.ts'
import type { TestSystem } from '../start-test-system.ts'
import { countBytes, type Transferred } from './count-bytes.ts'
import type { PageToMeasure } from './measure-page.ts'

/** A slow phone in a slow network. */
export const slowPhone = { bitsPerSecond: 1_600_000, latencyMs: 150, slowdown: 4, width: 412, height: 823 }

/** Metrics of web.dev/vitals. Milliseconds since navigation started. */
export interface WebVitals extends Transferred {
  readonly firstContentfulPaintMs: number
  readonly largestContentfulPaintMs: number
  /** The element that was painted at that time, for the reader. */
  readonly largestElement: string
  /** The sum of all shifts without input, which is never less than the metric of web.dev. */
  readonly layoutShift: number
  /** The parts of the page that moved, for the reader. */
  readonly shifted: readonly string[]
}

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

/** Opens a page on a {@link slowPhone} with an empty cache, and waits until all its parts are loaded. */
export async function measureWebVitals(
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
