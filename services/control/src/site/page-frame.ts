import { callToAction } from './call-to-action.ts'
import { container, primaryButton } from './class-names.ts'
import { type Html, html, trustHtml, withoutDirections } from './html.ts'
import type { Page, SiteContext, Visitor } from './site-context.ts'
import { legalPageNames } from './site-texts.ts'

/** Pages that every visitor can open, in the order of the navigation. */
const navigation = [
  ['/models', 'Models'],
  ['/pricing', 'Pricing'],
  ['/docs', 'Docs'],
  ['/status', 'Status']
] as const

const shownLinks = (links: typeof navigation, { isPublic }: SiteContext) =>
  links.filter(([href]) => isPublic || href === '/docs')

/** Writes a whole page: its head, the navigation, the content, and the links at the end. */
export function framePage(page: Page, context: SiteContext, visitor: Visitor): string {
  const document = html`<!doctype html>
<html lang="en">
${writeHead(page, context)}
<body class="flex min-h-dvh flex-col">
<a href="#content" class="sr-only focus:not-sr-only focus:absolute focus:top-2 focus:left-2 focus:z-10 focus:rounded-lg focus:bg-surface focus:px-3 focus:py-2">Skip to content</a>
${writeHeader(page, context, visitor)}
<main${page.hasOwnContent !== true && html` id="content"`} class="flex-1">${page.body}</main>
${writeFooter(context)}
</body>
</html>
`
  return document.toString()
}

function writeHead({ path, isMissing, title, description, data = [] }: Page, context: SiteContext): Html {
  const { brand, publicUrl, assets } = context
  const fullTitle = path === '/' ? `${brand.name} · ${title}` : `${title} · ${brand.name}`
  const address = publicUrl + path
  const { brandStylesheet, icon } = assets
  return html`<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${fullTitle}</title>
<meta name="description" content="${description}">
${isMissing ? html`<meta name="robots" content="noindex">` : html`<link rel="canonical" href="${address}">`}
<meta property="og:type" content="website">
<meta property="og:site_name" content="${brand.name}">
<meta property="og:title" content="${title}">
<meta property="og:description" content="${description}">
${!isMissing && html`<meta property="og:url" content="${address}">`}
${brand.logoUrl !== null && html`<meta property="og:image" content="${brand.logoUrl}">`}
<meta name="twitter:card" content="summary">
<link rel="icon" ${brand.logoUrl === null ? html`type="image/svg+xml" href="${icon.href}"` : html`href="${brand.logoUrl}"`}>
<link rel="preload" as="font" type="font/woff2" crossorigin href="${assets.font}">
<script src="${assets.script}"></script>
<link rel="stylesheet" href="${assets.stylesheet}">
<link rel="stylesheet" href="${brandStylesheet.href}">
${data.map(writeData)}
</head>`
}

/** A data block: browsers do not run it, so the content security policy allows it. `<` could end it. */
const writeData = (data: Readonly<Record<string, unknown>>): Html =>
  html`<script type="application/ld+json">${trustHtml(
    withoutDirections(JSON.stringify({ '@context': 'https://schema.org', ...data })).replaceAll('<', '\\u003c')
  )}</script>`

/** The operator's picture, or the sign of the dashboard with the name. */
function writeLogo({ brand }: SiteContext): Html {
  if (brand.logoUrl !== null) {
    return html`<img src="${brand.logoUrl}" alt="${brand.name}" height="32" class="h-8 max-w-40 object-contain">`
  }
  return html`<svg aria-hidden="true" viewBox="0 0 32 32" class="size-7 shrink-0"><rect width="32" height="32" rx="8" class="fill-accent"/><path d="M9 24V9M9 13l15-4M6 24h8" class="stroke-on-accent" fill="none" stroke-width="3" stroke-linecap="round"/></svg><span class="truncate">${brand.name}</span>`
}

/** Without scripts it leads to the page of the search; with them it opens the search here. */
const searchLink = html`<a href="/docs/search" data-open-search aria-keyshortcuts="Control+K" class="inline-flex min-h-9 min-w-9 items-center justify-center gap-2 rounded-md px-2 text-sm text-ink-soft hover:text-ink"><svg aria-hidden="true" viewBox="0 0 20 20" class="size-4" fill="none" stroke="currentColor" stroke-width="1.75" stroke-linecap="round"><circle cx="9" cy="9" r="5.5"/><path d="m13.5 13.5 3.5 3.5"/></svg><span class="sr-only">Search</span><kbd class="hidden rounded border border-line px-1.5 font-sans text-xs md:block">Ctrl K</kbd></a>`

function writeHeader({ path }: Page, context: SiteContext, visitor: Visitor): Html {
  const { main } = callToAction(context, visitor)
  const links = shownLinks(navigation, context).map(([href, text]) => {
    const isHere = path === href || path.startsWith(`${href}/`)
    return html`<li><a href="${href}"${isHere && html` aria-current="page"`} class="rounded-md px-2.5 py-1.5 text-sm text-ink-soft hover:text-ink aria-[current]:font-medium aria-[current]:text-ink">${text}</a></li>`
  })
  const signIn =
    !visitor.hasSession && main.href !== '/login'
      ? html`<a href="/login" class="rounded-md px-2.5 py-2 text-sm whitespace-nowrap text-ink-soft hover:text-ink">Sign in</a>`
      : null
  return html`<header class="border-b border-line bg-surface"><div class="${container} flex flex-wrap items-center gap-x-3 gap-y-1 py-3">
<a href="/" class="inline-flex min-w-0 grow basis-28 sm:grow-0 sm:basis-auto items-center gap-2.5 font-semibold tracking-tight">${writeLogo(context)}</a>
<nav aria-label="Main" class="order-last w-full sm:order-none sm:ml-4 sm:w-auto"><ul class="-ml-2.5 flex sm:ml-0">${links}</ul></nav>
<div class="ml-auto flex shrink-0 items-center gap-1">${searchLink}${signIn}<a href="${main.href}" class="${primaryButton} min-h-9 px-3.5 py-1.5">${main.text}</a></div>
</div></header>`
}

function writeFooter(context: SiteContext): Html {
  const { brand, texts } = context
  const legal = legalPageNames.flatMap((name) => {
    const page = texts.legal[name]
    return page === undefined ? [] : [[`/${name}`, page.title] as const]
  })
  const links = [
    ...shownLinks(navigation, context),
    ...(context.isPublic ? [['/providers', 'Providers'] as const] : []),
    ['/docs/api', 'API reference'],
    ['/llms.txt', 'llms.txt'],
    ...(brand.supportUrl === null ? [] : [[brand.supportUrl, 'Support'] as const]),
    ...legal,
    ...(legal.length === 0 && brand.legalUrl !== null ? [[brand.legalUrl, 'Legal'] as const] : [])
  ] as const
  return html`<footer class="mt-16 border-t border-line"><div class="${container} flex flex-wrap items-baseline justify-between gap-x-8 gap-y-3 py-6 text-sm text-ink-soft">
<p>© ${new Date().getUTCFullYear()} ${brand.name}</p>
<ul class="flex flex-wrap gap-x-5 gap-y-1.5">${links.map(
    ([href, text]) => html`<li><a href="${href}" class="hover:text-ink hover:underline">${text}</a></li>`
  )}</ul></div></footer>`
}
