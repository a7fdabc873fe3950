export interface SignInSearch {
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
