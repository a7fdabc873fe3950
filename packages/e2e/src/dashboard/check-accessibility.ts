import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { AxeResults } from 'axe-core'
import type { Page } from 'playwright-core'

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** What axe-core finds wrong in a page as it is now: rule and place. Its best practices count, too. */
export async function accessibilityProblems(page: Page): Promise<string[]> {
  // As the browser's debugger, since the page's policy lets no script in.
  if (!(await page.evaluate('"axe" in window'))) await page.evaluate(axe)
  // Colours that change over time, as after a change of the theme, are measured as they are in the end.
  await page.evaluate(
    'for (const animation of document.getAnimations()) if (animation instanceof CSSTransition) animation.finish()'
  )
  const violations = await page.evaluate<AxeResults['violations']>(
    // What is right is not told: to write all of it down takes longer than to find it.
    'axe.run(document, { resultTypes: ["violations"] }).then(({ violations }) => violations)'
  )
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${html}\n${failureSummary}`)
  )
}
