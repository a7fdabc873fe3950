import { container } from '../class-names.ts'
import { type Html, html } from '../html.ts'
import type { Page } from '../site-context.ts'
import type { Guide } from './docs-text.ts'

/** A link of the list beside a page. */
interface DocsLink {
  readonly href: string
  readonly text: string
}

/** A page of the docs without the list beside it. */
export interface DocsContent {
  readonly path: string
  readonly title: string
  readonly description: string
  readonly body: Html
  /** Pages that belong to this one, such as the other calls of its group. */
  readonly siblings?: { readonly title: string; readonly links: readonly DocsLink[] }
}

/** The pages of the docs, in the order of the list beside each of them. */
const docsLinks = (guides: readonly Guide[]): DocsLink[] => [
  ...guides.map(({ name, title }) => ({ href: guidePath(name), text: title })),
  { href: '/docs/api', text: 'API reference' }
]

/** The first guide is the page that the docs begin with. */
export const guidePath = (name: string): string => (name === 'quickstart' ? '/docs' : `/docs/${name}`)

/** Puts the content of a page beside the list of all pages, below the search. */
export function layOut(content: DocsContent, guides: readonly Guide[]): Page {
  const { path, title, description, body, siblings } = content
  const isHere = (href: string): boolean => path === href || (href !== '/docs' && path.startsWith(`${href}/`))
  const link = ({ href, text }: DocsLink, isCurrent: boolean) =>
    html`<li><a href="${href}"${isCurrent && html` aria-current="page"`} class="block rounded-md px-2.5 py-1.5 text-sm break-words text-ink-soft hover:bg-sunken hover:text-ink aria-[current]:bg-accent-soft aria-[current]:font-medium aria-[current]:text-accent-strong">${text}</a></li>`
  return {
    path,
    title,
    description,
    body: html`<div class="${container} grid grid-cols-1 gap-x-10 gap-y-6 pt-8 lg:grid-cols-[14rem_minmax(0,1fr)]">
<div class="self-start lg:sticky lg:top-6 lg:max-h-[calc(100dvh-3rem)] lg:overflow-y-auto">
${searchForm}
<nav aria-label="Docs" class="mt-4"><ul class="flex flex-wrap gap-x-1 lg:block">${docsLinks(guides).map((one) => link(one, isHere(one.href)))}</ul>
${siblings !== undefined && html`<p class="mt-5 px-2.5 text-[0.8125rem] font-semibold">${siblings.title}</p><ul class="mt-1">${siblings.links.map((one) => link(one, one.href === path))}</ul>`}</nav>
</div>
<article class="min-w-0"><h1 class="text-3xl font-semibold tracking-tight break-words">${title}</h1><div class="prose mt-5 max-w-3xl text-ink">${body}</div></article>
</div>`
  }
}

/** The search works without scripts; with them, Ctrl-K opens it on every page. */
export const searchForm = html`<form role="search" action="/docs/search" class="relative"><label class="sr-only" for="docs-search">Search the docs</label><input id="docs-search" type="search" name="q" maxlength="100" placeholder="Search" autocomplete="off" class="min-h-9 w-full rounded-lg border border-line-strong bg-surface px-3 text-sm"></form>`
