import { Spinner } from '../ui/button.tsx'

/** While it is not known yet what can be shown. */
export function PendingPage() {
  return (
    <main className="grid min-h-dvh place-items-center text-ink-soft">
      <h1 className="sr-only">Tollgate</h1>
      <div role="status">
        <Spinner />
        <span className="sr-only">Loading…</span>
      </div>
    </main>
  )
}
