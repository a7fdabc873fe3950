/** Pages to return to after signing in. None of their addresses contains a secret. */
const known = /^\/dashboard(?=[/?#]|$)[^\\\s]*$/

/** Whether a sign-in may lead to this path. Every such path is a page of the dashboard, never another site. */
export const isReturnPath = (path: string): boolean => known.test(path)

/** The path to open after signing in: the requested one if it is in the dashboard, else the overview. */
export function returnPath(requested: string | undefined): string {
  return requested !== undefined && isReturnPath(requested) ? requested : '/dashboard'
}
