import { container, textLink } from '../class-names.ts'
import { type Html, html } from '../html.ts'
import type { Page, Visitor } from '../site-context.ts'
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
  /** The sections of a long page, which wide screens list beside it. */
  readonly sections?: readonly { readonly id: string; readonly title: string }[]
  /** What the page searched for. */
  readonly searched?: string
}

/** The pages of the docs, in the order of the list beside each of them. */
const docsLinks = (guides: readonly Guide[]): DocsLink[] => [
  ...guides.map(({ name, title }) => ({ href: guidePath(name), text: title })),
  { href: '/docs/api', text: 'API reference' }
]

/** The first guide is the page that the docs begin with. */
export const guidePath = (name: string): string => (name === 'quickstart' ? '/docs' : `/docs/${name}`)

const readerField = 'min-h-9 w-full min-w-0 rounded-lg border border-line-strong bg-surface px-2.5 text-sm'

/**
 * Where signed-in readers choose the values of the examples: a model of their plan, and a key. Control knows only
 * digests of keys, so readers paste one; it stays in their tab. The script shows the fields on pages with examples.
 */
const readerFields = html`<form data-reader hidden aria-label="Values of the examples" class="mt-5 grid max-w-3xl gap-3 rounded-xl border border-line bg-sunken p-3 sm:grid-cols-2">
<label class="text-[0.8125rem] font-medium">Model<select name="model" class="${readerField} mt-1"></select></label>
<label class="text-[0.8125rem] font-medium">API key<input name="key" type="text" autocomplete="off" spellcheck="false" placeholder="Paste a key" aria-describedby="reader-note" class="${readerField} mt-1 font-mono"></label>
<p id="reader-note" class="text-[0.8125rem] text-ink-soft sm:col-span-2">The examples use them. The key stays in this tab. <a href="/dashboard/keys?create=1" class="font-medium text-accent underline underline-offset-4">Create a key</a></p>
</form>`

/** Puts the content of a page beside the list of all pages, below the search. */
export function layOut(content: DocsContent, guides: readonly Guide[], { hasSession }: Visitor): Page {
  const { path, title, description, body, siblings, sections = [], searched = '' } = content
  const onThisPage = { title: 'On this page', links: sections.map((one) => ({ href: `#${one.id}`, text: one.title })) }
  const links = docsLinks(guides)
  const isHere = (href: string): boolean => path === href || (href !== '/docs' && path.startsWith(`${href}/`))
  return {
    path,
    title,
    description,
    hasOwnContent: true,
    body: html`<div class="${container} grid grid-cols-1 gap-x-10 gap-y-6 pt-8 lg:grid-cols-[14rem_minmax(0,1fr)]">
<div class="self-start lg:sticky lg:top-6 lg:max-h-[calc(100dvh-3rem)] lg:overflow-y-auto">
${searchForm(searched)}
<nav aria-label="Docs" class="mt-4"><ul class="flex flex-wrap gap-x-1 lg:block">${links.map((one) => listLink(one, isHere(one.href)))}</ul>
${siblings !== undefined && html`<div class="hidden lg:block">${siblingList(siblings, path)}</div>`}${sections.length > 2 && html`<div class="hidden lg:block">${siblingList(onThisPage, path)}</div>`}</nav>
</div>
<article id="content" tabindex="-1" class="min-w-0 outline-none"><h1 class="text-3xl font-semibold tracking-tight break-words">${title.split(/(?<=_)/).map((part, index) => html`${index > 0 && html`<wbr>`}${part}`)}</h1>${hasSession && readerFields}<div class="prose docs mt-5 max-w-3xl text-ink">${body}</div>${nextLink(path, links)}
${siblings !== undefined && html`<nav aria-label="More of ${siblings.title}" class="mt-8 lg:hidden">${siblingList(siblings, path)}</nav>`}</article>
</div>`
  }
}

const listLink = ({ href, text }: DocsLink, isCurrent: boolean): Html =>
  html`<li><a href="${href}"${isCurrent && html` aria-current="page"`} class="block rounded-md px-2.5 py-1.5 text-sm break-words text-ink-soft hover:bg-sunken hover:text-ink aria-[current]:bg-accent-soft aria-[current]:font-medium aria-[current]:text-accent-strong">${text}</a></li>`

const siblingList = ({ title, links }: NonNullable<DocsContent['siblings']>, path: string): Html =>
  html`<p class="mt-5 px-2.5 text-[0.8125rem] font-semibold">${title}</p><ul class="mt-1">${links.map((one) => listLink(one, one.href === path))}</ul>`

/** Leads from each guide to the one after it. */
function nextLink(path: string, links: readonly DocsLink[]): Html | null {
  const at = links.findIndex(({ href }) => href === path)
  const next = at < 0 ? undefined : links[at + 1]
  return next === undefined
    ? null
    : html`<p class="mt-8 border-t border-line pt-4 text-sm text-ink-soft">Next: <a href="${next.href}" class="${textLink}">${next.text}</a></p>`
}

/** The search works without scripts; with them, Ctrl-K opens it on every page. */
export const searchForm = (searched: string): Html =>
  html`<form role="search" action="/docs/search"><label class="sr-only" for="docs-search">Search the docs</label><input id="docs-search" type="search" name="q" value="${searched}" maxlength="100" placeholder="Search" autocomplete="off" class="min-h-9 w-full rounded-lg border border-line-strong bg-surface px-3 text-sm"></form>`
