import { Link, useParams } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { apiReferencePath, docsPages, operatorsReferencePath } from '../../docs/list-pages.ts'

const linkLook =
  'flex min-h-8 items-center rounded-lg px-3 text-sm font-medium text-ink-soft hover:bg-sunken hover:text-ink data-[status=active]:bg-accent-soft data-[status=active]:text-accent-strong'

const currentLink = { 'data-status': 'active', 'aria-current': 'page' } as const

interface DocsLayoutProps {
  /** Whether it also leads to the calls of operators. */
  readonly isForOperator?: boolean
  readonly children: ReactNode
}

/** What a page of the docs says, with the links to all pages. */
export function DocsLayout({ isForOperator = false, children }: DocsLayoutProps) {
  const { page: slug } = useParams({ strict: false })
  return (
    <div className="grid grid-cols-1 gap-6 xl:grid-cols-[12rem_minmax(0,1fr)]">
      <ul aria-label="Pages of the docs" className="flex flex-wrap gap-1 self-start xl:sticky xl:top-6 xl:flex-col">
        {docsPages.map(([page, text]) => (
          <li key={page}>
            <Link
              to="/dashboard/docs/$page"
              params={{ page }}
              activeOptions={{ includeHash: false }}
              // The docs begin with this page, at an address without its name.
              {...(slug === undefined && page === 'quickstart' && currentLink)}
              className={linkLook}
            >
              {text}
            </Link>
          </li>
        ))}
        <li>
          <a href={apiReferencePath} className={linkLook}>
            API reference
          </a>
        </li>
        {isForOperator && (
          <li>
            <a href={operatorsReferencePath} className={linkLook}>
              Operators’ API
            </a>
          </li>
        )}
      </ul>
      <div className="min-w-0">{children}</div>
    </div>
  )
}
