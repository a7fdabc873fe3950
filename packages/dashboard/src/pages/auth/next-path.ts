import { isReturnPath } from '@tollgate/contracts/http/return-path.ts'

/** The page of this site that an address asks to return to after signing in; undefined if it asks for none, or for another site. */
export function readNext(search: string): string | undefined {
  const next = new URLSearchParams(search).get('next')
  return next !== null && isReturnPath(next) ? next : undefined
}

/** An address that keeps the page to return to. */
export const withNext = (path: string, next: string | undefined): string =>
  next === undefined ? path : `${path}?${new URLSearchParams({ next })}`
