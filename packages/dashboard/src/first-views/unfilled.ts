import type { DocsFacts } from '@tollgate/contracts/docs/docs-facts.ts'

/** Addresses that pass for addresses in Markdown, in place of those that control fills in. */
const stand = { publicUrl: 'https://public-url.invalid', gatewayUrl: 'https://gateway-url.invalid' } as const

/** Facts of no installation. */
export const unfilled: DocsFacts = { name: '{{brandName}}', id: '{{brandId}}', ...stand }

/** Makes HTML of {@link unfilled} facts into what control fills in. */
export const markUnfilled = (html: string): string =>
  Object.entries(stand).reduce((text, [name, address]) => text.replaceAll(address, `{{${name}}}`), html)
