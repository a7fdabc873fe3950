import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { AxeResults } from 'axe-core'
import type { Page } from 'playwright-core'

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

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
