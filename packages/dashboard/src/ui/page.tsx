import { type ReactNode, useEffect, useRef } from 'react'
import { titleOf } from '../brand/brand.ts'

interface PageProps {
  readonly title: string
  readonly description?: ReactNode
  readonly actions?: ReactNode
  readonly children: ReactNode
}

/** The title of the page shown last; null before the first page. */
let latestTitle: string | null = null

/** A page of the dashboard: title, description, main actions and content. */
export function Page({ title, description, actions, children }: PageProps) {
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => {
    // Moving the focus makes screen readers announce the new page.
    if (latestTitle !== null && latestTitle !== title) heading.current?.focus()
    latestTitle = title
  }, [title])
  return (
    <>
      <title>{titleOf(title)}</title>
      <header className="mb-6 flex flex-wrap items-end justify-between gap-x-6 gap-y-4">
        <div className="min-w-0">
          <h1 ref={heading} tabIndex={-1} className="text-2xl font-semibold tracking-tight outline-none">
            {title}
          </h1>
          {description !== undefined && <p className="mt-1 max-w-prose text-ink-soft">{description}</p>}
        </div>
        {actions !== undefined && <div className="flex flex-wrap gap-2">{actions}</div>}
      </header>
      <div className="space-y-6">{children}</div>
    </>
  )
}
