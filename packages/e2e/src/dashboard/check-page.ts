import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { AxeResults } from 'axe-core'
import type { Page } from 'playwright-core'

/** The operator's name in these tests. Its characters must be escaped in HTML and in mails. */
export const brandName = 'Acme & Söhne <AI>'

const productName = /.{0,80}Tollgate.{0,80}/

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

export interface Size {
  readonly width: number
  readonly height: number
}

const narrow: Size = { width: 360, height: 740 }

/**
 * Checks that a page names the operator, fits a narrow screen and is accessible there, in the light theme. Leaves the
 * page as wide as it was.
 *
 * @param alsoDark checks the same on a screen of this size in the dark theme: for one page of each layout, since all
 *   pages have their
 * colours from the same names
 * @throws AssertionError
 */
export async function checkPage(page: Page, title: string, { alsoDark }: { alsoDark?: Size } = {}): Promise<void> {
  const size = page.viewportSize()!
  await page.evaluate('for (const part of document.querySelectorAll("details")) part.open = true')
  await checkBrand(page, title)
  await checkOn(page, title, 'light', narrow)
  if (alsoDark !== undefined) await checkOn(page, title, 'dark', alsoDark)
  await page.setViewportSize(size)
}

async function checkOn(page: Page, title: string, colorScheme: 'light' | 'dark', size: Size): Promise<void> {
  await page.emulateMedia({ colorScheme })
  await page.setViewportSize(size)
  const width = Number(await page.evaluate('document.documentElement.scrollWidth'))
  assert.ok(width <= size.width, `${title} fits ${size.width} px`)
  assert.deepEqual(await accessibilityProblems(page), [], `${title}, ${colorScheme}, ${size.width} px`)
}

/** The violations that axe-core finds in the current page, best practices included: rule and element. */
export async function accessibilityProblems(page: Page): Promise<string[]> {
  // Evaluated through the debugger, because the page's content security policy blocks other scripts.
  if (!(await page.evaluate('"axe" in window'))) await page.evaluate(axe)
  // Finish colour transitions, so that the final colours are measured.
  await page.evaluate(
    'for (const animation of document.getAnimations()) if (animation instanceof CSSTransition) animation.finish()'
  )
  const violations = await page.evaluate<AxeResults['violations']>(
    // Only violations are reported: serialising all passed checks takes longer than the checks.
    'axe.run(document, { resultTypes: ["violations"] }).then(({ violations }) => violations)'
  )
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${html}\n${failureSummary}`)
  )
}

/** @throws AssertionError if the page names the product instead of the operator, also in a title, a label or a link */
export async function checkBrand(page: Page, title: string): Promise<void> {
  const html = await page.content()
  assert.equal(productName.exec(html)?.[0] ?? null, null, `${title} names only ${brandName}`)
  assert.ok((await page.title()).includes(brandName), `${title}: the title of the window`)
}
