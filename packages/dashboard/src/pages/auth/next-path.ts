/** Pages that somebody may be on the way to when they are asked to sign in. None of them has a secret in its address. */
const known = /^\/dashboard(?=[/?#]|$)[^\\]*$/

export const isPathToComeBackTo = (path: string): boolean => known.test(path)

/** Where to go after signing in: a path of this site that was asked for, else the overview. */
export function nextPath(asked: string | undefined): string {
  return asked !== undefined && isPathToComeBackTo(asked) ? asked : '/dashboard'
}
