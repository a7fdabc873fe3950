import { createMemoryHistory, createRootRoute, createRouter, RouterProvider } from '@tanstack/react-router'
import { renderToString } from 'react-dom/server'
import { Card } from '../ui/card.tsx'
import { PageHead } from '../ui/page-head.tsx'
import type { PageHead as Head } from '../ui/page-heads.ts'
import { Loading } from '../ui/states.tsx'
import { Navigation } from './navigation.tsx'

/**
 * What a page shows until its code runs: the frame, the page's title and a placeholder. It has nothing of an account, no name of the brand,
 * and nothing that reacts, because nobody could answer a click.
 */
function FirstView({ head }: { readonly head: Head | null }) {
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
          {head !== null && <PageHead title={head.title} description={head.description ?? undefined} />}
          <Card isFlush>
            <Loading lines={8} hasFinalHeight />
          </Card>
        </div>
      </main>
    </div>
  )
}

/**
 * Renders the first view of a page. Runs in the build only.
 *
 * @param address with a word for each `:name`
 * @returns HTML without styles and scripts
 */
export async function renderFirstView(address: string, head: Head | null): Promise<string> {
  const router = createRouter({
    routeTree: createRootRoute({ component: () => <FirstView head={head} />, notFoundComponent: () => null }),
    history: createMemoryHistory({ initialEntries: [address] }),
    defaultNotFoundComponent: () => null
  })
  await router.load()
  return renderToString(<RouterProvider router={router as never} />)
}
