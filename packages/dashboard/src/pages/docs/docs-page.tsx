import { useParams } from '@tanstack/react-router'
import { pageHeads } from '../../ui/page-heads.ts'
import { DocsFrame } from './docs-frame.tsx'
import { DocsText } from './docs-text.tsx'
import { docsPages } from './list-pages.ts'

/** The first page of the docs. */
export const DocsHome = () => (
  <DocsFrame title={pageHeads['/dashboard/docs'].title}>
    <DocsText page="quickstart" />
  </DocsFrame>
)

/** Any page of the docs. */
export function DocsSubPage() {
  const { page } = useParams({ from: '/dashboard/docs/$page' })
  const title = docsPages.find(([name]) => name === page)?.[1] ?? page
  return (
    <DocsFrame title={title}>
      <DocsText key={page} page={page} />
    </DocsFrame>
  )
}
