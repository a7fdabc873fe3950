import { Link, useParams } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { apiReferencePath, docsPages, forCustomersOnly } from '../../docs/list-pages.ts'
import { useUser } from '../../layout/owner.tsx'
import { Card } from '../../ui/card.tsx'
import { textLink } from '../../ui/class-names.ts'
import { Page } from '../../ui/page.tsx'
import { pageHeads } from '../../ui/page-heads.ts'

const linkLook =
  'flex min-h-8 items-center rounded-lg px-3 text-sm font-medium text-ink-soft hover:bg-sunken hover:text-ink data-[status=active]:bg-accent-soft data-[status=active]:text-accent-strong'

const currentLink = { 'data-status': 'active', 'aria-current': 'page' } as const

interface DocsLayoutProps {
  /** Whether the page needs the whole width, so that the links are above it on every screen. */
  readonly isWide?: boolean
  readonly children: ReactNode
}

/** What a page of the docs says, with the links to all pages. */
export function DocsLayout({ isWide = false, children }: DocsLayoutProps) {
  const { page: slug } = useParams({ strict: false })
  return (
    <div className={`grid grid-cols-1 gap-6 ${isWide ? '' : 'xl:grid-cols-[12rem_minmax(0,1fr)]'}`}>
      <ul
        aria-label="Pages of the docs"
        className={`flex flex-wrap gap-1 self-start ${isWide ? '' : 'xl:sticky xl:top-6 xl:flex-col'}`}
      >
        {docsPages.map(([page, text]) => (
          <li key={page}>
            <Link
              to="/dashboard/docs/$page"
              params={{ page }}
              activeOptions={{ includeHash: false }}
              // The docs begin with this page, at an address without its name.
              {...(!isWide && slug === undefined && page === 'quickstart' && currentLink)}
              className={linkLook}
            >
              {text}
            </Link>
          </li>
        ))}
        <li>
          <Link to="/dashboard/docs/api" className={linkLook}>
            API reference
          </Link>
        </li>
      </ul>
      <div className="min-w-0">{children}</div>
    </div>
  )
}

/**
 * Both APIs, in a frame: the viewer needs inline styles and writes HTML from text, which the policy of the dashboard
 * refuses. Only operators see the calls of operators.
 */
export function ApiReferencePage() {
  const user = useUser()
  const address = user.role === 'operator' ? apiReferencePath : apiReferencePath + forCustomersOnly
  return (
    <Page {...pageHeads['/dashboard/docs/api']}>
      <DocsLayout isWide>
        <p className="mb-4 max-w-prose text-sm text-ink-soft">
          Open it{' '}
          <a href={address} target="_blank" rel="noopener" className={textLink}>
            in a tab of its own
          </a>
          , or read the OpenAPI documents of{' '}
          <a href="/api/docs/gateway.json" className={textLink}>
            models
          </a>{' '}
          and{' '}
          <a href="/api/openapi.json" className={textLink}>
            your account
          </a>
          .
        </p>
        <Card isFlush className="overflow-hidden">
          <iframe title="API reference" src={address} className="block h-[max(36rem,calc(100dvh-14rem))] w-full" />
        </Card>
      </DocsLayout>
    </Page>
  )
}
