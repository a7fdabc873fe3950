import { Link, type LinkProps } from '@tanstack/react-router'
import { ArrowLeft } from 'lucide-react'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import { titleOf } from '../brand/brand.ts'
import { Card } from './card.tsx'
import { textLink } from './class-names.ts'
import { PageHead } from './page-head.tsx'
import { Loading } from './states.tsx'
import { pageAttempts } from './use-auto-retry.ts'

interface PageProps {
  readonly title: string
  readonly description?: ReactNode
  readonly actions?: ReactNode
  readonly children: ReactNode
  /**
   * Whether the data is still missing that decides which actions and parts the page has. Only its first wait is shown.
   */
  readonly isWaiting?: boolean
}

/** The title of the page shown last; null before the first page. */
let latestTitle: string | null = null

/** A page of the dashboard: title, description, main actions and content. */
export function Page({ title, description, actions, children, isWaiting = false }: PageProps) {
  const [isComplete, setComplete] = useState(!isWaiting)
  // A later wait, such as for another filter, must not take away a field while somebody types.
  if (!isWaiting && !isComplete) setComplete(true)
  useEffect(() => {
    pageAttempts.current = 0
  }, [])
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => {
    // Moving the focus makes screen readers announce the new page.
    if (latestTitle !== null && latestTitle !== title) heading.current?.focus()
    latestTitle = title
  }, [title])
  return (
    <>
      <title>{titleOf(title)}</title>
      <PageHead title={title} description={description} actions={isComplete ? actions : undefined} heading={heading} />
      {!isComplete && (
        <Card isFlush>
          <Loading lines={12} />
        </Card>
      )}
      {/* Rendered while it waits, so that all parts request their data at once. */}
      <div className="space-y-6">{children}</div>
    </>
  )
}

interface BackLinkProps {
  readonly to: NonNullable<LinkProps['to']>
  /** The id in the address of the list, if it has one. */
  readonly id?: string
  /** The title of the list. */
  readonly children: string
}

/** Leads from a page to its list, with the filters of the list that the reader came from. */
export function BackLink({ to, id, children }: BackLinkProps) {
  const path = id === undefined ? to : to.replace('$id', encodeURIComponent(id))
  return (
    <Link
      to={to}
      {...(id !== undefined && { params: { id } })}
      search={searchBefore(path)}
      className={`inline-flex items-center gap-1.5 text-sm ${textLink}`}
    >
      <ArrowLeft aria-hidden="true" className="size-3.5" />
      {children}
    </Link>
  )
}

/** The search of the entry before this one in the history, if that is the list. Older browsers do not tell. */
function searchBefore(path: string): Record<string, string> {
  const { navigation } = window as { readonly navigation?: Navigation }
  const url = navigation?.entries()[(navigation.currentEntry?.index ?? 0) - 1]?.url ?? null
  const { pathname, searchParams } = new URL(url ?? window.location.origin)
  return pathname === path ? Object.fromEntries(searchParams) : {}
}
