/**
 * Pages to return to after signing in: those of the dashboard, and the end of a sign-in that another tab asked for.
 * None of their addresses contains a secret.
 */
const pagePattern = /^(\/signed-in|\/dashboard(?=[/?#]|$)[^\\\s]*)$/

/** Whether a sign-in may lead to this path. Every such path is a page of this site, never another one. */
export function isReturnPath(path: string): boolean {
  if (!pagePattern.test(path)) return false
  // A browser removes dot segments: /dashboard/..//evil.example becomes //evil.example, which a link takes for another
  // site.
  const { pathname } = new URL(path, 'http://localhost')
  return pagePattern.test(pathname) && !pathname.includes('//')
}

/** The overview. */
export const defaultPage = '/dashboard'
/** Where a new account goes on: everybody needs a key. */
export const firstPage = '/dashboard/keys?create=1'

/** A cookie keeps the path during a sign-in with a provider, and browsers drop cookies of more than 4096 bytes. */
const maxLength = 2048

/** The path to open after signing in, as in a header: the requested one if it is known, else the overview. */
export function returnPath(requested: string | undefined): string {
  if (requested === undefined || !isReturnPath(requested)) return defaultPage
  // Headers have no characters beyond ASCII, and no control characters.
  const { pathname, search, hash } = new URL(requested, 'http://localhost')
  const path = pathname + search + hash
  return path.length > maxLength ? defaultPage : path
}
