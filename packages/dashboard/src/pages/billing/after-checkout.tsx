import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { read, refresh } from '../../api/queries.ts'
import { Banner } from '../../ui/banner.tsx'
import { Button, Spinner } from '../../ui/button.tsx'

const askEveryMs = 1_000
/** The payment provider tells of a payment within seconds; much later, something is amiss. */
const patienceMs = 60_000

/** After paying: waits until the plan that was bought is in force, which a moment ago nobody paid for. */
export function AfterCheckout() {
  const navigate = useNavigate({ from: '/dashboard/billing' })
  const [isLate, setLate] = useState(false)
  const { data } = useQuery({
    ...read('getPlan'),
    refetchInterval: ({ state }) => (state.data?.plan.price_id != null ? false : askEveryMs)
  })
  const isInForce = data?.plan.price_id != null
  useEffect(() => {
    const timer = setTimeout(() => setLate(true), patienceMs)
    return () => clearTimeout(timer)
  }, [])
  useEffect(() => {
    if (isInForce) void refresh('getUser', 'getAccount', 'listInvoices', 'getUsageSummary')
  }, [isInForce])
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
        This takes longer than usual. If you have paid, it comes by itself; you can leave this page.
      </Banner>
    )
  }
  return (
    <Banner title="Thank you. Your new plan is being set up …" isNews>
      <p className="flex items-center gap-2">
        <Spinner /> This takes a few seconds.
      </p>
    </Banner>
  )
}
