import { container, textLink } from './class-names.ts'
import { searchForm } from './docs/docs-layout.ts'
import { html } from './html.ts'
import type { Page } from './site-context.ts'

const ways = [
  ['/models', 'Models and prices'],
  ['/pricing', 'Pricing'],
  ['/docs', 'Docs'],
  ['/docs/api', 'API reference'],
  ['/status', 'Status']
] as const

/** What people see at an address without a page. It is the same for each of them, so one is kept. */
export const notFoundPage: Page = {
  path: '',
  isMissing: true,
  title: 'Page not found',
  description: 'There is no page at this address.',
  body: html`<div class="${container} pt-16"><div class="max-w-xl"><h1 class="text-3xl font-semibold tracking-tight">Page not found</h1><p class="mt-2 mb-6 text-ink-soft">There is no page at this address. Check it for typing errors, search the docs and models, or go on here.</p>${searchForm('')}<ul class="mt-6 flex flex-wrap gap-x-6 gap-y-2">${ways.map(
    ([href, text]) => html`<li><a href="${href}" class="${textLink}">${text}</a></li>`
  )}</ul></div></div>`
}
