import type { ReactNode } from 'react'

type ScrollRegionProps = { readonly label: string; readonly className: string; readonly children: ReactNode }

/** What may be larger than its place, and is scrolled within it. */
export function ScrollRegion({ label, className, children }: ScrollRegionProps) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
    <section tabIndex={0} aria-label={label} className={className}>
      {children}
    </section>
  )
}
