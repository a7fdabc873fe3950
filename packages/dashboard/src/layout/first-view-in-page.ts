/** The HTML of a page may have its first view: see first-views/render.tsx. */
const findFirstView = (): HTMLElement | null => document.getElementById('first-view')

/** Whether the first view is shown in the place of the page. */
export const hasFirstView = (): boolean => findFirstView() !== null

/** Removes the first view once the page itself is there, before the browser paints again. `styles.css` hides the page until then. */
export function removeFirstViewOnceFilled(root: HTMLElement): void {
  if (!hasFirstView()) return
  new MutationObserver((_, observer) => {
    if (root.firstElementChild === null || root.querySelector('[data-loading-part]') !== null) return
    observer.disconnect()
    findFirstView()?.remove()
  }).observe(root, { childList: true, subtree: true })
}
