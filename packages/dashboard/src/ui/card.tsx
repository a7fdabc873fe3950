import type { ReactNode } from 'react'

interface CardProps {
  readonly title?: string
  readonly description?: ReactNode
  readonly actions?: ReactNode
  readonly children: ReactNode
  /** Removes the padding, for tables that reach the edges. */
  readonly isFlush?: boolean
  readonly className?: string
}

export function Card({ title, description, actions, children, isFlush = false, className = '' }: CardProps) {
  return (
    <section className={`rounded-2xl border border-line bg-surface shadow-card ${className}`}>
      {title !== undefined && (
        <header className="flex flex-wrap items-start justify-between gap-x-4 gap-y-3 px-5 pt-5">
          <div className="min-w-0">
            <h2 className="font-semibold tracking-tight">{title}</h2>
            {description !== undefined && (
              <div className="mt-1 max-w-prose text-sm text-balance text-ink-soft">{description}</div>
            )}
          </div>
          {actions}
        </header>
      )}
      <div className={isFlush ? (title === undefined ? '' : 'pt-4') : 'p-5'}>{children}</div>
    </section>
  )
}
