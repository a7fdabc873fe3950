import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import type { Answer } from '../../api/call.ts'
import { read } from '../../api/queries.ts'
import { formatExactUsd } from '../../format/money.ts'
import { Banner } from '../../ui/banner.tsx'
import { Spinner } from '../../ui/button.tsx'
import { textLink } from '../../ui/class-names.ts'

const pollMs = 3000
const maxWaitMs = 10 * 60_000

type LoggedRequest = Answer<'listRequests'>['requests'][number]

const hasWorked = (request: LoggedRequest | undefined): boolean => request?.status === 200

/** Waits for the first request with a new key, and says what became of it. */
export function FirstRequest({ keyId }: { readonly keyId: string }) {
  const [isWaiting, setWaiting] = useState(true)
  useEffect(() => {
    const timer = setTimeout(() => setWaiting(false), maxWaitMs)
    return () => clearTimeout(timer)
  }, [])
  const { data } = useQuery({
    ...read('listRequests', { query: { key: keyId, limit: '1' } }),
    refetchInterval: ({ state: { data } }) =>
      isWaiting && data?.is_logging !== false && !hasWorked(data?.requests[0]) ? pollMs : false
  })
  const latest = data?.requests[0]
  if (data?.is_logging === false) return <WithoutLog />
  return (
    <div role="status">
      {latest === undefined && isWaiting && (
        <p className="flex items-center gap-2 text-sm text-ink-soft">
          <Spinner /> Waiting for your first request …
        </p>
      )}
      {latest !== undefined && <Outcome request={latest} />}
    </div>
  )
}

/** Without the request log, nothing tells this page of a request. */
const WithoutLog = () => (
  <p className="text-sm text-ink-soft">
    Requests are not logged here, so this page cannot show yours. Each answer has its{' '}
    <a href="/docs#what-it-cost" target="_blank" rel="noreferrer" className={textLink}>
      cost in a header
    </a>
    , and{' '}
    <Link to="/dashboard/usage" target="_blank" className={textLink}>
      Usage
    </Link>{' '}
    adds it up.
  </p>
)

function Outcome({ request }: { readonly request: LoggedRequest }) {
  const { id, model, status, code, cost_usd: cost } = request
  // The page still shows the key, so the receipt opens elsewhere.
  const receipt = (
    <Link to="/dashboard/requests/$id" params={{ id }} target="_blank" className={textLink}>
      See the receipt
    </Link>
  )
  if (hasWorked(request)) {
    return (
      <Banner tone="success" title={`It worked: ${model ?? 'a model'}, cost ${formatExactUsd(cost)}`}>
        {receipt}
      </Banner>
    )
  }
  return (
    <Banner tone="warning" title={`The request failed: ${code ?? status ?? 'no answer'}`}>
      {receipt}, correct the call, and send it again.
    </Banner>
  )
}
