import { type MailLink, readMailLink } from './read-mail-link.ts'

let taken: MailLink | null = null
let fragment = ''

/**
 * Reads the token of a mailed link and removes it from the address first of all. The token must not reach the history or
 * a bookmark; it stays in memory only.
 */
export function takeMailLink(): void {
  const { hash, pathname, search } = window.location
  taken = readMailLink(hash)
  fragment = taken === null ? '' : hash
  if (taken !== null) window.history.replaceState(null, '', pathname + search)
  // Opening another link to the same page changes only the fragment, so the page does not reload by itself.
  window.addEventListener('hashchange', () => {
    if (readMailLink(window.location.hash) !== null) window.location.reload()
  })
}

/** The mailed link that opened this page; null if none did. */
export const mailLink = (): MailLink | null => taken

/** The link as it was in the address, for another page; empty without one. */
export const mailFragment = (): string => fragment

/** Call this once the link is used: it works only once. */
export function forgetMailLink(): void {
  taken = null
  fragment = ''
}
