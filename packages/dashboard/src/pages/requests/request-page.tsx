import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { isCode } from '../../api/api-error.ts'
import { read } from '../../api/queries.ts'
import { countOf } from '../../format/number.ts'
import { requestLogDays } from '../../request-log-days.ts'
import { BackLink } from '../../ui/back-link.tsx'
import { Banner } from '../../ui/banner.tsx'
import { Card } from '../../ui/card.tsx'
import { Page } from '../../ui/page.tsx'
import { QueryView } from '../../ui/states.tsx'
import { RequestReceipt } from './request-receipt.tsx'

/** A request: what became of it, what it cost and why. */
export function RequestPage() {
  const { id } = useParams({ from: '/dashboard/requests/$id' })
  const query = useQuery(read('getRequest', { params: { id } }))
  const isMissing = isCode(query.error, 'not_found')
  return (
    <Page title="Request" description={<BackLink to="/dashboard/requests">Requests</BackLink>}>
      {query.data !== undefined ? (
        <RequestReceipt request={query.data.request} requestKey={query.data.key} />
      ) : isMissing ? (
        <Banner title="There is no such request in the log">
          Check the id: it is the header <code className="font-mono">x-request-id</code> of the answer. A request
          appears some seconds after its end, and is kept for {countOf(requestLogDays(), 'day')}.
        </Banner>
      ) : (
        <Card isFlush>
          <QueryView query={query} lines={14}>
            {() => null}
          </QueryView>
        </Card>
      )}
    </Page>
  )
}
