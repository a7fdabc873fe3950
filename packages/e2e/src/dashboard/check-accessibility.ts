import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { AxeResults } from 'axe-core'
import type { Page } from 'playwright-core'

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** What axe-core finds wrong in a page as it is now: rule and place. Its best practices count, too. */
export async function accessibilityProblems(page: Page): Promise<string[]> {
  // As the browser's debugger, since the page's policy lets no script in.
  await page.evaluate(axe)
  const { violations } = await page.evaluate<Pick<AxeResults, 'violations'>>('axe.run(document)')
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${html}\n${failureSummary}`)
  )
}
