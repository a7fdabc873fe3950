import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { checkBrand } from './brand.ts'
import { accessibilityProblems } from './check-accessibility.ts'

export interface Size {
  readonly width: number
  readonly height: number
}

const narrow: Size = { width: 360, height: 740 }

/**
 * Checks that a page names the operator, fits a narrow screen and is accessible there, in the light theme. Leaves the page as wide as it was.
 *
 * @param alsoDark checks the same on a screen of this size in the dark theme: for one page of each layout, since all pages have their
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
