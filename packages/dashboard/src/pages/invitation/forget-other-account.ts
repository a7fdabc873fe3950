import { queryClient } from '../../api/queries.ts'

/** What the page of an invitation shows. It reads both again itself. */
const kept: readonly unknown[] = ['getInvitation', 'getUser']

/** Drops what was loaded for another user of this browser, or for the account that the user had before. */
export function forgetOtherAccount(): void {
  queryClient.removeQueries({ predicate: ({ queryKey }) => !kept.includes(queryKey[0]) })
}
