/** Pages to return to after signing in. None of their addresses contains a secret. */
const known = /^\/dashboard(?=[/?#]|$)[^\\]*$/

export const isReturnPath = (path: string): boolean => known.test(path)

/** The path to open after signing in: the requested one if it is in the dashboard, else the overview. */
export function nextPath(requested: string | null): string {
  return requested !== null && isReturnPath(requested) ? requested : '/dashboard'
}
