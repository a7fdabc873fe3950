/** The unit of a number, at the right of its field. */
export function Unit({ children }: { readonly children: string }) {
  return (
    <span className="pointer-events-none absolute inset-y-0 right-3 flex items-center text-sm text-ink-soft">
      {children}
    </span>
  )
}
