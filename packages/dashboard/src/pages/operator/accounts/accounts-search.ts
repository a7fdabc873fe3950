import type { AdminAccountsQuery } from '@tollgate/contracts/http/admin/accounts.ts'

/** The search, filters, order and place of the list in its address. Everything may be typed by hand. */
export interface AccountsSearch {
  readonly q?: string
  readonly plan?: string
  readonly status?: string
  readonly past_due?: string
  readonly sort?: string
  /** The beginning of the shown page of the list. */
  readonly cursor?: string
}

const pageSize = '50'

/** The query for the list. Unknown values of an address are left out, so that it never fails because of them. */
export function queryOf({ q, plan, status, past_due, sort, cursor }: AccountsSearch): AdminAccountsQuery {
  const text = q?.trim().slice(0, 200) ?? ''
  return {
    limit: pageSize,
    ...(text !== '' && { q: text }),
    ...(plan !== undefined && { plan: plan.slice(0, 100) }),
    ...(isStatus(status) && { status }),
    ...(past_due === 'true' && { past_due }),
    ...(sort === 'created' && { sort }),
    ...(cursor !== undefined && { cursor })
  }
}

type Status = NonNullable<AdminAccountsQuery['status']>

export const statusNames: Readonly<Record<Status, string>> = {
  active: 'Active',
  suspended: 'Suspended',
  waiting: 'Waits for approval',
  in_team: 'In a team'
}

const isStatus = (text: string | undefined): text is Status => text !== undefined && Object.hasOwn(statusNames, text)

/** Whether the list leaves out some accounts. */
export function isFiltered(search: AccountsSearch): boolean {
  const { q, plan, status, past_due } = queryOf(search)
  return q !== undefined || plan !== undefined || status !== undefined || past_due !== undefined
}
