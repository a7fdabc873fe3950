/** Pages that somebody may be on the way to when they are asked to sign in. */
const known = /^\/(dashboard|invitations)(?=[/?#]|$)[^\\]*$/

/** Where to go after signing in: a path of this site that was asked for, else the overview. */
export function nextPath(asked: string | undefined): string {
  return asked !== undefined && known.test(asked) ? asked : '/dashboard'
}
