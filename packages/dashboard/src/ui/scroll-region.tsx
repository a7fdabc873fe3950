import type { ReactNode } from 'react'

interface ScrollRegionProps {
  readonly label: string
  readonly className: string
  readonly children: ReactNode
}

/** A scrollable region for content that may be larger than its place. */
export function ScrollRegion({ label, className, children }: ScrollRegionProps) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable content must be reachable by keyboard
    <section tabIndex={0} aria-label={label} className={className}>
      {children}
    </section>
  )
}
