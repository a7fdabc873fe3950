import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { read } from '../../api/queries.ts'
import { Banner } from '../../ui/banner.tsx'
import { textLink } from '../../ui/text-link.ts'
import { describeOverQuota } from '../keys/over-quota.ts'
import { describeOverSeats } from './over-seats.ts'

/** Says what is above the numbers of a new plan: keys, seats, and invitations that nobody can accept. Nothing if all fits. */
export function AfterDowngrade() {
  const limits = useQuery(read('getLimits'))
  const team = useQuery(read('getTeam'))
  const keys = limits.data === undefined ? null : describeOverQuota(limits.data.limits.keys)
  const seats = team.data === undefined ? null : describeOverSeats(team.data.team)
  return (
    <>
      {keys !== null && <TooMany told={keys} page="/dashboard/keys" link="See your keys" />}
      {seats !== null && <TooMany told={seats} page="/dashboard/team" link="See your team" />}
    </>
  )
}

interface TooManyProps {
  readonly told: { readonly title: string; readonly text: string }
  readonly page: '/dashboard/keys' | '/dashboard/team'
  readonly link: string
}

const TooMany = ({ told, page, link }: TooManyProps) => (
  <Banner tone="warning" title={told.title} isAnnounced>
    {told.text}{' '}
    <Link to={page} className={textLink}>
      {link}
    </Link>
  </Banner>
)
