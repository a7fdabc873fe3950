import { container } from './class-names.ts'
import { html } from './html.ts'
import { renderMarkdown } from './markdown.ts'
import type { Page } from './site-context.ts'
import type { Section } from './site-texts.ts'

/** A page with the operator's own text: terms, privacy or imprint. */
export const textPage = (path: string, { title, markdown }: Section, brandName: string): Page => ({
  path,
  title,
  description: `${title} of ${brandName}.`,
  body: html`<article class="${container} pt-10"><h1 class="text-3xl font-semibold tracking-tight break-words">${title}</h1><div class="prose mt-5 max-w-3xl">${renderMarkdown(markdown)}</div></article>`
})
