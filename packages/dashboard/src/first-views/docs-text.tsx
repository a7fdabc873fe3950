import { docsPages, renderPage } from '@tollgate/contracts/docs/docs-pages.ts'
import { docsAddress, headOf, docsPages as listed } from '../docs/list-pages.ts'
import { DocsLayout } from '../pages/docs/docs-layout.tsx'
import { DocsView } from '../pages/docs/docs-view.tsx'
import { type PageHead, pageHeads } from '../ui/page-heads.ts'
import { unfilled } from './unfilled.ts'

/** The page of the docs at an address; null for other pages. */
export function docsPageAt(address: string): { page: string; head: PageHead } | null {
  if (address === '/dashboard/docs') return { page: 'quickstart', head: pageHeads[address] }
  const [page] = listed.find(([name]) => docsAddress(name) === address) ?? []
  return page === undefined ? null : { page, head: headOf(page) }
}

/** A page of the docs without a reader. Control fills in the facts. */
export function DocsText({ page }: { readonly page: string }) {
  return (
    <DocsLayout>
      <DocsView markdown={renderPage(docsPages[page]!, unfilled)} models={{}} choice={noChoice} />
    </DocsLayout>
  )
}

/** As high as the choice of a model. */
const noChoice = <div className="h-10 flex-1 basis-40 rounded-lg border border-line-strong bg-surface sm:max-w-64" />
