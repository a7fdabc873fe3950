import { type EncodedPage, encodePage } from '../http/encoded-page.ts'

/** About 10 MB of pages. */
const maxPages = 500

/**
 * Keeps rendered pages as long as what they show is the same object.
 *
 * @returns a function that gets a page, or renders it
 */
export function createPageCache(): (shown: object, name: string, render: () => string) => EncodedPage {
  let pages = new Map<string, EncodedPage>()
  let ofPages: object | null = null
  return (shown, name, render) => {
    if (ofPages !== shown || pages.size >= maxPages) {
      pages = new Map()
      ofPages = shown
    }
    const page = pages.get(name) ?? encodePage(render(), 'short')
    pages.set(name, page)
    return page
  }
}
