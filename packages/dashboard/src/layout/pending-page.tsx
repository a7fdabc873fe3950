import { Spinner } from '../ui/button.tsx'

/** While it is not known yet what can be shown. */
export function PendingPage() {
  return (
    <div role="status" className="grid min-h-dvh place-items-center text-ink-soft">
      <Spinner />
      <span className="sr-only">Loading…</span>
    </div>
  )
}
