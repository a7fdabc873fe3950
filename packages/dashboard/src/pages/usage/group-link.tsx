import { Link } from '@tanstack/react-router'
import { textLink } from '../../ui/text-link.ts'
import type { Groups } from '../../usage/group-usage.ts'
import type { UsageRange } from '../../usage/usage-range.ts'
import { requestsOfRange } from './to-requests.ts'
import { useOnly } from './use-only.ts'

interface GroupLinkProps {
  readonly group: string
  readonly groups: Groups
  readonly range: UsageRange
}

/** The name of a group, which leads to its requests if a filter finds them. */
export function GroupLink({ group, groups, range }: GroupLinkProps) {
  const only = useOnly()
  const filter = groups.filterOf(group)
  if (filter === null) return groups.nameOf(group)
  return (
    <Link to="/dashboard/requests" search={requestsOfRange(range, { ...only, ...filter })} className={textLink}>
      {groups.nameOf(group)}
    </Link>
  )
}
