import { createMemoryHistory, createRootRoute, createRouter, RouterProvider } from '@tanstack/react-router'
import { renderToString } from 'react-dom/server'
import { Navigation } from './layout/navigation.tsx'
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
export const addresses: readonly string[] = [...Object.keys(heads), ...lists.map((list) => `${list}/*`), '/dashboard/*']

/**
 * Renders the first view of a page. Runs in the build only.
 *
 * @param address one of {@link addresses}
 * @returns HTML without styles and scripts
 * @throws Error for a component that has an inline style
 */
export async function renderFirstView(address: string): Promise<string> {
  const router = createRouter({
    routeTree: createRootRoute({ component: () => <FirstView address={address} />, notFoundComponent: () => null }),
    history: createMemoryHistory({ initialEntries: [address.replace('/*', '/any')] }),
    defaultNotFoundComponent: () => null
  })
  await router.load()
  const html = renderToString(<RouterProvider router={router as never} />)
  if (html.includes(' style="')) throw new Error(`${address}: the policy of the pages refuses inline styles`)
  return html
}

/**
 * What a page shows until its code runs: the frame, the page's title and a placeholder. It has nothing of an account,
 * and nothing that reacts, because nobody could answer a click.
 */
function FirstView({ address }: { readonly address: string }) {
  const head = heads[address]
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
          <Card isFlush>
            <Loading lines={8} hasFinalHeight />
          </Card>
        </div>
      </main>
    </div>
  )
}
