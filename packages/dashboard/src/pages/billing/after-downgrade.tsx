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
      {keys !== null && (
        <Banner tone="warning" title={keys.title} isAnnounced>
          {keys.text}{' '}
          <Link to="/dashboard/keys" className={textLink}>
            See your keys
          </Link>
        </Banner>
      )}
      {seats !== null && (
        <Banner tone="warning" title={seats.title} isAnnounced>
          {seats.text}{' '}
          <Link to="/dashboard/team" className={textLink}>
            See your team
          </Link>
        </Banner>
      )}
    </>
  )
}
