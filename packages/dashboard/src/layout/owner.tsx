import { useQuery, useSuspenseQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { Answer } from '../api/call.ts'
import { read } from '../api/queries.ts'
import { isolate, visibleText } from '../format/visible-text.ts'
import { textLink } from '../ui/class-names.ts'

type User = Answer<'getUser'>['user']
export type Account = Answer<'getAccount'>['account']

/** The signed-in user. Only for pages below `/dashboard`: their route loads the user first. */
export const useUser = (): User => useSuspenseQuery(read('getUser')).data.user

/** The account that the user acts for: their own, or their team's. */
export const useAccount = (): Account => useSuspenseQuery(read('getAccount')).data.account

/**
 * The owner of the team, such as `Ada (ada@example.com)`. For members: only the owner can buy and change what is for
 * all.
 */
export function OwnerName() {
  const { data } = useQuery(read('getTeam'))
  const owner = data?.team.members.find(({ role }) => role === 'owner')
  if (owner === undefined) return 'the owner of your team'
  return visibleText(owner.name) === '' ? owner.email : `${isolate(owner.name)} (${owner.email})`
}

/** For owners a link to the page for plans and budgets. Members read whom to ask. */
export function BillingLink({ text, label }: { readonly text: string; readonly label?: string }) {
  const { role } = useAccount()
  if (role === 'owner') {
    return (
      <Link to="/dashboard/billing" className={textLink} {...(label !== undefined && { 'aria-label': label })}>
        {text}
      </Link>
    )
  }
  return (
    <>
      Ask <OwnerName />, who owns your team.
    </>
  )
}
