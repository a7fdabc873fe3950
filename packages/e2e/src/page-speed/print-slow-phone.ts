import type { Browser, Page } from 'playwright-core'
import { visit } from '../dashboard/browser.ts'
import { docsSubPages, publicPages } from '../dashboard/pages.ts'
import { openaiClient } from '../openai-client.ts'
import { Person } from '../person.ts'
import type { TestSystem } from '../start-test-system.ts'
import type { PageToMeasure } from './measure-page.ts'
import { measureWebVitals, slowPhone, type WebVitals } from './web-vitals.ts'

/** The links of the dashboard's menu: every page that the signed-in user can open. Path and title. */
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

/** The pages that a stranger can open. Fragments are left out: the page itself reads them. */
const pagesOfStrangers = publicPages
  .filter(([, path]) => !path.startsWith('/dashboard') && !path.includes('#'))
  .map(([title, path]) => [path, title] as const)

const limits = { largestContentfulPaintMs: 2500, layoutShift: 0.02 }

/**
 * Prints the web vitals of every page on a slow phone: of strangers, and of an operator's whole menu.
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
    console.log([page.path, ...figuresOf(vitals), ...excessesOf(vitals)].join('\t'))
  }
}

async function allPages(browser: Browser, system: TestSystem): Promise<PageToMeasure[]> {
  const olga = await new Person(system, 'olga').joinAsOperator()
  await useOnce(system, olga)
  const { page, context } = await visit(browser, system, { person: olga })
  const own = await pagesOfMenu(page)
  await context.close()
  return [
    ...pagesOfStrangers.map(([path, title]) => ({ path, title, person: null })),
    ...own.map(([path, title]) => ({ path, title, person: olga })),
    ...docsSubPages.map(([title, path]) => ({ path, title, person: olga }))
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
function excessesOf(vitals: WebVitals): string[] {
  return [
    ...(vitals.largestContentfulPaintMs > limits.largestContentfulPaintMs ? [`LCP: ${vitals.largestElement}`] : []),
    ...(vitals.layoutShift > limits.layoutShift ? vitals.shifted : [])
  ]
}
