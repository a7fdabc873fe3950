import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'

/** The operator's name in these tests. Its characters must be escaped in HTML and in mails. */
export const brandName = 'Acme & Söhne <AI>'

const productName = /.{0,80}Tollgate.{0,80}/

/** @throws AssertionError if the page names the product instead of the operator, also in a title, a label or a link */
export async function checkBrand(page: Page, title: string): Promise<void> {
  const html = await page.content()
  assert.equal(productName.exec(html)?.[0] ?? null, null, `${title} names only ${brandName}`)
  assert.ok((await page.title()).includes(brandName), `${title}: the title of the window`)
}
