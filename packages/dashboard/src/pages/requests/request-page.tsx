import { useQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import { ArrowLeft } from 'lucide-react'
import { isCode } from '../../api/api-error.ts'
import { read } from '../../api/queries.ts'
import { Banner } from '../../ui/banner.tsx'
import { Card } from '../../ui/card.tsx'
import { Page } from '../../ui/page.tsx'
import { QueryView } from '../../ui/states.tsx'
import { textLink } from '../../ui/text-link.ts'
import { RequestReceipt } from './request-receipt.tsx'

/** A request: what became of it, what it cost and why. */
export function RequestPage() {
  const { id } = useParams({ from: '/dashboard/requests/$id' })
  const query = useQuery(read('getRequest', { params: { id } }))
  const isMissing = isCode(query.error, 'not_found')
  return (
    <Page
      title="Request"
      description={
        <Link to="/dashboard/requests" className={`inline-flex items-center gap-1.5 text-sm ${textLink}`}>
          <ArrowLeft aria-hidden="true" className="size-3.5" />
          Requests
        </Link>
      }
    >
      {query.data !== undefined ? (
        <RequestReceipt request={query.data.request} requestKey={query.data.key} />
      ) : isMissing ? (
        <Banner title="There is no such request in the log">
          Check the id: it is the header <code className="font-mono">x-request-id</code> of the answer. A request
          appears some seconds after its end, and old requests are deleted.
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
