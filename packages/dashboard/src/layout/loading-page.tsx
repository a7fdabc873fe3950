import { brand } from '../brand/brand.ts'
import { Spinner } from '../ui/button.tsx'
import { hasFirstView } from './first-view-in-page.ts'

/** Shown while the code of a page loads, in the place of the page. It ends no first view, which says more. */
export function LoadingPart() {
  return (
    <div role="status" data-loading-part="" className="grid min-h-[60dvh] place-items-center text-ink-soft">
      <Spinner className="size-7" />
      <span className="sr-only">Loading…</span>
    </div>
  )
}

/** Shown while the frame of all pages loads, if the page has no first view. */
export function LoadingPage() {
  if (hasFirstView()) return null
  return (
    <main className="grid min-h-dvh place-items-center">
      <h1 className="sr-only">{brand.name}</h1>
      <LoadingPart />
    </main>
  )
}
