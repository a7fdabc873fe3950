import { brand } from '../brand/brand.ts'
import { Spinner } from '../ui/button.tsx'

/** Shown while a route loads its data. */
export function LoadingPage() {
  return (
    <main className="grid min-h-dvh place-items-center text-ink-soft">
      <h1 className="sr-only">{brand.name}</h1>
      <div role="status">
        <Spinner />
        <span className="sr-only">Loading…</span>
      </div>
    </main>
  )
}
