import { mailFragment } from './mail-link.ts'

interface SignInSearch {
  /** The session has ended while the page was open. */
  readonly ended?: '1'
  /** The page to return to. */
  readonly next?: string
}

/** The address of the sign-in page. */
export function signInPath(search: SignInSearch): string {
  const query = new URLSearchParams({ ...search }).toString()
  return query === '' ? '/login' : `/login?${query}`
}

/**
 * Opens the sign-in page in the place of this one. It is an app of its own, so the browser loads it. The link of a mail that
 * opened this page goes along.
 *
 * @returns a promise that never settles: the page is about to be gone
 */
export function openSignIn(search: SignInSearch): Promise<never> {
  window.location.replace(signInPath(search) + mailFragment())
  return new Promise(() => {})
}
