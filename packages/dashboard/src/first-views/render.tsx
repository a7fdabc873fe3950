import { createMemoryHistory, createRootRoute, createRouter, RouterProvider } from '@tanstack/react-router'
import { renderToString } from 'react-dom/server'
import { FirstView } from './first-view.tsx'
import { markUnfilled } from './unfilled.ts'

/**
 * Renders the first view of a page. Runs in the build only.
 *
 * @param address as in `pages.json`
 * @returns HTML without styles and scripts, with `{{name}}` for what control fills in
 * @throws Error for a component that has an inline style
 */
export async function renderFirstView(address: string): Promise<string> {
  const router = createRouter({
    routeTree: createRootRoute({ component: () => <FirstView address={address} />, notFoundComponent: () => null }),
    history: createMemoryHistory({ initialEntries: [address.replaceAll(':', '')] }),
    defaultNotFoundComponent: () => null
  })
  await router.load()
  const html = markUnfilled(renderToString(<RouterProvider router={router as never} />))
  if (html.includes(' style="')) throw new Error(`${address}: the policy of the pages refuses inline styles`)
  return html
}
