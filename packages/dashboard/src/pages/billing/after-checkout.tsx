import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { explain } from '../../api/api-error.ts'
import { read, refresh } from '../../api/queries.ts'
import { Banner } from '../../ui/banner.tsx'
import { Button, Spinner } from '../../ui/button.tsx'
import { askAgainAfterMs, patienceMs } from './ask-again.ts'

/** After paying: waits until the plan that was bought is in force, which a moment ago nobody paid for. */
export function AfterCheckout() {
  const navigate = useNavigate({ from: '/dashboard/billing' })
  const [since, setSince] = useState(() => Date.now())
  const [isLate, setLate] = useState(false)
  const { data, error, refetch } = useQuery({
    ...read('getPlan'),
    refetchInterval: ({ state }) =>
      state.data?.plan.price_id != null ? false : (askAgainAfterMs(Date.now() - since) ?? false)
  })
  const isInForce = data?.plan.price_id != null
  useEffect(() => {
    const timer = setTimeout(() => setLate(true), since + patienceMs - Date.now())
    return () => clearTimeout(timer)
  }, [since])
  useEffect(() => {
    if (isInForce) void refresh('getUser', 'getAccount', 'listInvoices', 'getUsageSummary')
  }, [isInForce])
  const lookAgain = () => {
    setSince(Date.now())
    setLate(false)
    void refetch()
  }
  if (isInForce) {
    return (
      <Banner tone="success" title={`You are on the plan ${data.plan.name} now`} isNews>
        <p>Its models and limits hold from now on, for every key that you have.</p>
        <Button size="small" className="mt-2" onClick={() => void navigate({ search: {}, replace: true })}>
          Good
        </Button>
      </Banner>
    )
  }
  if (isLate) {
    return (
      <Banner tone="warning" title="Your plan is not in force yet" isNews>
        <p>
          {error === null
            ? 'This takes longer than usual. If you have paid, it comes by itself; you can leave this page.'
            : `We could not find out whether it is. ${explain(error)} If you have paid, it comes by itself.`}
        </p>
        <Button size="small" className="mt-2" onClick={lookAgain}>
          Look again
        </Button>
      </Banner>
    )
  }
  return (
    <Banner title="Thank you. Your new plan is being set up …" isNews>
      <p className="flex items-center gap-2">
        <Spinner /> This takes a few seconds. We look for up to a minute.
      </p>
      {error !== null && <p>{explain(error)} We go on trying.</p>}
    </Banner>
  )
}
