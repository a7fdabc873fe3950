import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { checkBrand } from './brand.ts'
import { accessibilityProblems } from './check-accessibility.ts'

export interface Size {
  readonly width: number
  readonly height: number
}

const narrow: Size = { width: 360, height: 740 }

/** Checks that a page names the operator, fits narrow and wide screens, and is accessible. @throws AssertionError */
export async function checkPage(page: Page, title: string, wide: Size): Promise<void> {
  await page.evaluate('for (const part of document.querySelectorAll("details")) part.open = true')
  await checkBrand(page, title)
  // Themes differ only in colours, so two of the four combinations suffice.
  for (const [colorScheme, size] of [
    ['light', narrow],
    ['dark', wide]
  ] as const) {
    await page.emulateMedia({ colorScheme })
    await page.setViewportSize(size)
    const width = Number(await page.evaluate('document.documentElement.scrollWidth'))
    assert.ok(width <= size.width, `${title} fits ${size.width} px`)
    assert.deepEqual(await accessibilityProblems(page), [], `${title}, ${colorScheme}, ${size.width} px`)
  }
}
