import { brand } from '../brand/brand.ts'
import { Spinner } from '../ui/button.tsx'

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

/** The HTML of a page may have its first view: see first-view.tsx. */
const findFirstView = (): HTMLElement | null => document.getElementById('first-view')

/** Whether the first view is shown in the place of the page. */
const hasFirstView = (): boolean => findFirstView() !== null

/**
 * Removes the first view once the page itself is there, before the browser paints again. `styles.css` hides the page
 * until then.
 */
export function removeFirstViewOnceFilled(root: HTMLElement): void {
  if (!hasFirstView()) return
  new MutationObserver((_, observer) => {
    if (root.firstElementChild === null || root.querySelector('[data-loading-part]') !== null) return
    observer.disconnect()
    findFirstView()?.remove()
  }).observe(root, { childList: true, subtree: true })
}
