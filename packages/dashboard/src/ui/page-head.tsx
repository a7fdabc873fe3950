import type { ReactNode, Ref } from 'react'

interface PageHeadProps {
  readonly title: string
  readonly description?: ReactNode
  readonly actions?: ReactNode
  readonly heading?: Ref<HTMLHeadingElement>
}

/** The beginning of a page: title, description and main actions. */
export function PageHead({ title, description, actions, heading }: PageHeadProps) {
  return (
    <header className="mb-6 flex flex-wrap items-end justify-between gap-x-6 gap-y-4">
      <div className="min-w-0">
        <h1 ref={heading} tabIndex={-1} className="text-2xl font-semibold tracking-tight outline-none">
          {title}
        </h1>
        {/* Balanced, so that the lines end at the same words before and after the font's file arrives. */}
        {description !== undefined && <p className="mt-1 max-w-prose text-balance text-ink-soft">{description}</p>}
      </div>
      {actions !== undefined && <div className="flex flex-wrap gap-2">{actions}</div>}
    </header>
  )
}
