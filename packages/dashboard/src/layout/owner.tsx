import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { read } from '../api/queries.ts'
import { isolate, visibleText } from '../format/visible-text.ts'
import { textLink } from '../ui/text-link.ts'
import { useAccount } from './caller.ts'

/** The owner of the team, such as `Ada (ada@example.com)`. For members: only the owner can buy and change what is for all. */
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
