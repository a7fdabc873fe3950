import { type UseQueryResult, useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { type ApiError, isCode } from '../../api/api-error.ts'
import type { Answer } from '../../api/call.ts'
import { read } from '../../api/queries.ts'
import { countOf } from '../../format/number.ts'
import { requestLogDays } from '../../page-facts.ts'
import { Banner } from '../../ui/banner.tsx'
import { Card } from '../../ui/card.tsx'
import { BackLink, Page } from '../../ui/page.tsx'
import { QueryView } from '../../ui/states.tsx'
import { RequestReceipt } from './request-receipt.tsx'

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

interface RequestViewProps {
  readonly query: UseQueryResult<Answer<'getRequest'>, ApiError>
  /** The link back to the list. */
  readonly back: ReactNode
  /** For operators: whose request it is. */
  readonly account?: ReactNode
}

/** A page with a request: what became of it, what it cost and why. */
export function RequestView({ query, back, account }: RequestViewProps) {
  const isMissing = isCode(query.error, 'not_found')
  return (
    <Page title="Request" description={back}>
      {query.data !== undefined ? (
        <RequestReceipt request={query.data.request} requestKey={query.data.key} account={account} />
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
