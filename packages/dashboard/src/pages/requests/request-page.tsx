import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { isCode } from '../../api/api-error.ts'
import { read } from '../../api/queries.ts'
import { BackLink } from '../../ui/back-link.tsx'
import { RequestView } from './request-view.tsx'

/** A request appears in the log some seconds after its end. Whoever comes from its answer is early. */
const [askAgainMs, askAgainTimes] = [2000, 30]

/** A request of the account. */
export function RequestPage() {
  const { id } = useParams({ from: '/dashboard/requests/$id' })
  const query = useQuery({
    ...read('getRequest', { params: { id } }),
    refetchInterval: ({ state: { error, errorUpdateCount } }) =>
      isCode(error, 'not_found') && errorUpdateCount < askAgainTimes ? askAgainMs : false
  })
  return <RequestView query={query} back={<BackLink to="/dashboard/requests">Requests</BackLink>} />
}
