import { createMemoryHistory, createRootRoute, createRouter, RouterProvider } from '@tanstack/react-router'
import type { DocsFacts } from '@tollgate/contracts/docs/docs-facts.ts'
import { docsPages, renderPage } from '@tollgate/contracts/docs/docs-pages.ts'
import { renderToString } from 'react-dom/server'
import { docsAddress, headOf, docsPages as listed } from './docs/list-pages.ts'
import { Navigation } from './layout/navigation.tsx'
import { DocsLayout } from './pages/docs/docs-layout.tsx'
import { DocsView } from './pages/docs/docs-view.tsx'
import { Card } from './ui/card.tsx'
import { operatorHeads } from './ui/operator-heads.ts'
import { PageHead } from './ui/page-head.tsx'
import { type PageHead as Head, pageHeads } from './ui/page-heads.ts'
import { Loading } from './ui/states.tsx'

const heads: Readonly<Record<string, Head>> = { ...pageHeads, ...operatorHeads }

/** Pages with pages of one thing below them, which have the same place in the menu. */
const lists = [
  '/dashboard/keys',
  '/dashboard/requests',
  '/dashboard/webhooks',
  '/dashboard/operator/accounts',
  '/dashboard/operator/webhooks'
]

/** The addresses of first views. `*` stands for any rest; the first address that matches counts. */
export const addresses: readonly string[] = [
  ...Object.keys(heads),
  ...listed.map(([page]) => docsAddress(page)),
  ...lists.map((list) => `${list}/*`),
  '/dashboard/*'
]

/**
 * Renders the first view of a page. Runs in the build only.
 *
 * @param address one of {@link addresses}
 * @returns HTML without styles and scripts, with `{{name}}` for what control fills in
 * @throws Error for a component that has an inline style
 */
export async function renderFirstView(address: string): Promise<string> {
  const router = createRouter({
    routeTree: createRootRoute({ component: () => <FirstView address={address} />, notFoundComponent: () => null }),
    history: createMemoryHistory({ initialEntries: [address.replace('/*', '/any')] }),
    defaultNotFoundComponent: () => null
  })
  await router.load()
  const html = markUnfilled(renderToString(<RouterProvider router={router as never} />))
  if (html.includes(' style="')) throw new Error(`${address}: the policy of the pages refuses inline styles`)
  return html
}

/**
 * What a page shows until its code runs: the frame, the page's title and a placeholder, or the text of the docs. It has
 * nothing of an account, and nothing that reacts, because nobody could answer a click.
 */
function FirstView({ address }: { readonly address: string }) {
  const docs = docsPageAt(address)
  const head = docs?.head ?? heads[address]
  return (
    <div id="first-view" inert className="min-h-dvh lg:grid lg:grid-cols-[16rem_minmax(0,1fr)]">
      <div className="h-[3.8125rem] border-b border-line bg-surface lg:hidden" />
      <header className="sticky top-0 hidden h-dvh flex-col border-r border-line bg-surface px-3 py-5 lg:flex">
        <div className="mb-5 h-10" />
        <div className="mb-4 h-9 rounded-lg border border-line bg-canvas" />
        <nav className="flex-1 overflow-hidden">
          <Navigation isOwner isOperator={false} />
        </nav>
      </header>
      <main className="min-w-0 px-4 py-6 sm:px-8 sm:py-9">
        <div className="mx-auto max-w-6xl">
          {head !== undefined && <PageHead title={head.title} description={head.description} />}
          {docs === null ? (
            <Card isFlush>
              <Loading lines={8} hasFinalHeight />
            </Card>
          ) : (
            <DocsText page={docs.page} />
          )}
        </div>
      </main>
    </div>
  )
}

/** The page of the docs at an address; null for other pages. */
function docsPageAt(address: string): { page: string; head: Head } | null {
  if (address === '/dashboard/docs') return { page: 'quickstart', head: pageHeads[address] }
  const [page] = listed.find(([name]) => docsAddress(name) === address) ?? []
  return page === undefined ? null : { page, head: headOf(page) }
}

/** A page of the docs without a reader. Control fills in the facts. */
function DocsText({ page }: { readonly page: string }) {
  return (
    <DocsLayout>
      <DocsView markdown={renderPage(docsPages[page]!, unfilled)} models={{}} choice={noChoice} />
    </DocsLayout>
  )
}

/** As high as the choice of a model. */
const noChoice = <div className="h-10 flex-1 basis-40 rounded-lg border border-line-strong bg-surface sm:max-w-64" />

/** Addresses that pass for addresses in Markdown, in place of those that control fills in. */
const stand = { publicUrl: 'https://public-url.invalid', gatewayUrl: 'https://gateway-url.invalid' } as const

/** Facts of no installation. */
const unfilled: DocsFacts = { name: '{{brandName}}', id: '{{brandId}}', ...stand }

/** Makes HTML of {@link unfilled} facts into what control fills in. */
const markUnfilled = (html: string): string =>
  Object.entries(stand).reduce((text, [name, address]) => text.replaceAll(address, `{{${name}}}`), html)
