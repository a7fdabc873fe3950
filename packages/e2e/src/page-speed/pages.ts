import type { Page } from 'playwright-core'
import { publicPages } from '../dashboard/pages.ts'

/** The links of the dashboard's menu: every page that the signed-in user can open. Path and title. */
export async function pagesOfMenu(page: Page): Promise<Array<readonly [path: string, title: string]>> {
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
export const pagesOfStrangers = publicPages
  .filter(([, path]) => !path.startsWith('/dashboard') && !path.includes('#'))
  .map(([title, path]) => [path, title] as const)
