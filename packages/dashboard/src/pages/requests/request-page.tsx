import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { read } from '../../api/queries.ts'
import { BackLink } from '../../ui/back-link.tsx'
import { RequestView } from './request-view.tsx'

/** A request of the account. */
export function RequestPage() {
  const { id } = useParams({ from: '/dashboard/requests/$id' })
  const query = useQuery(read('getRequest', { params: { id } }))
  return <RequestView query={query} back={<BackLink to="/dashboard/requests">Requests</BackLink>} />
}
