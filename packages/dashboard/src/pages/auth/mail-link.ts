import { type MailLink, readMailLink } from './read-mail-link.ts'

let taken: MailLink | null = null

/**
 * Takes what a mail's link brought out of the address, before anything else sees it: it belongs neither into the history
 * nor into a bookmark, and is kept in memory alone.
 */
export function takeMailLink(): void {
  const { hash, pathname, search } = window.location
  taken = readMailLink(hash)
  if (taken !== null) window.history.replaceState(null, '', pathname + search)
  // Another link to a page that is open already changes nothing but the fragment.
  window.addEventListener('hashchange', () => {
    if (readMailLink(window.location.hash) !== null) window.location.reload()
  })
}

/** What the link brought with which this page was opened; null if it was no such link. */
export const mailLink = (): MailLink | null => taken

/** It works once. */
export function forgetMailLink(): void {
  taken = null
}
