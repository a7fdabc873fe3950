import { Link, type LinkProps } from '@tanstack/react-router'
import { ArrowLeft } from 'lucide-react'
import { textLink } from './text-link.ts'

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
