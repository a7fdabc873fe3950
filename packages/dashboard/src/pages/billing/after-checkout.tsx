import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { explain } from '../../api/api-error.ts'
import { call } from '../../api/call.ts'
import { read, refresh } from '../../api/queries.ts'
import { maxWaitMs, pollDelayMs } from '../../api/retry-delay.ts'
import { Banner } from '../../ui/banner.tsx'
import { Button, buttonLook, Spinner } from '../../ui/button.tsx'
import { textLink } from '../../ui/class-names.ts'
import { describeOverQuota, describeOverSeats } from './over-quota.ts'

/**
 * Says what is above the numbers of a new plan: keys, seats, and invitations that nobody can accept. Nothing if all
 * fits.
 */
function AfterDowngrade() {
  const limits = useQuery(read('getLimits'))
  const team = useQuery(read('getTeam'))
  const keys = limits.data === undefined ? null : describeOverQuota(limits.data.limits.keys)
  const seats = team.data === undefined ? null : describeOverSeats(team.data.team)
  return (
    <>
      {keys !== null && <TooMany words={keys} page="/dashboard/keys" link="See your keys" />}
      {seats !== null && <TooMany words={seats} page="/dashboard/team" link="See your team" />}
    </>
  )
}

interface TooManyProps {
  readonly words: { readonly title: string; readonly text: string }
  readonly page: '/dashboard/keys' | '/dashboard/team'
  readonly link: string
}

const TooMany = ({ words, page, link }: TooManyProps) => (
  <Banner tone="warning" title={words.title} isAnnounced>
    {words.text}{' '}
    <Link to={page} className={textLink}>
      {link}
    </Link>
  </Banner>
)

/** Somebody who paid first has no key yet. */
function FirstKeyLink() {
  const { data } = useQuery(read('getLimits'))
  if (data?.limits.keys.in_use !== 0) return null
  return (
    <Link to="/dashboard/keys" search={{ create: '1' }} className={buttonLook({ size: 'small', tone: 'primary' })}>
      Create your first key
    </Link>
  )
}

interface AfterCheckoutProps {
  /** Whether the plan with this price is the new one. */
  readonly isDone: (priceId: string | null) => boolean
  readonly onDismiss: () => void
}

/** Shown after a checkout or a switch: waits until the new plan is active. */
export function AfterCheckout({ isDone, onDismiss }: AfterCheckoutProps) {
  const navigate = useNavigate({ from: '/dashboard/billing' })
  const [since, setSince] = useState(() => Date.now())
  const [isLate, setLate] = useState(false)
  const { data, error, refetch } = useQuery({
    ...read('getPlan'),
    refetchInterval: ({ state }) =>
      state.data !== undefined && isDone(state.data.plan.price_id) ? false : (pollDelayMs(Date.now() - since) ?? false)
  })
  useEffect(readPayments, [])
  const isActive = data !== undefined && isDone(data.plan.price_id)
  useEffect(() => {
    const timer = setTimeout(() => setLate(true), since + maxWaitMs - Date.now())
    return () => clearTimeout(timer)
  }, [since])
  useEffect(() => {
    if (isActive) {
      // Said once: a reload must not say it again.
      void navigate({ search: {}, replace: true })
      void refresh(
        ...([
          'getUser',
          'getAccount',
          'listInvoices',
          'getNextCharge',
          'getUsageSummary',
          'getLimits',
          'getTeam'
        ] as const)
      )
    }
  }, [isActive, navigate])
  const checkAgain = () => {
    setSince(Date.now())
    setLate(false)
    readPayments()
    void refetch()
  }
  if (isActive) {
    return (
      <>
        <Banner tone="success" title={`You are now on the ${data.plan.name} plan`} isAnnounced>
          <p>The new models and limits apply to all your keys now.</p>
          <div className="mt-2 flex flex-wrap gap-2">
            <FirstKeyLink />
            <Button size="small" onClick={onDismiss}>
              Dismiss
            </Button>
          </div>
        </Banner>
        <AfterDowngrade />
      </>
    )
  }
  if (isLate) {
    return (
      <Banner tone="warning" title="Your plan is not active yet" isAnnounced>
        <p>
          {error === null
            ? 'This takes longer than usual. If you have paid, your plan becomes active on its own. You can leave this page.'
            : `We could not check your plan. ${explain(error)} If you have paid, it becomes active on its own.`}
        </p>
        <Button size="small" className="mt-2" onClick={checkAgain}>
          Check again
        </Button>
      </Banner>
    )
  }
  return (
    <Banner title="Thank you. Your new plan is being set up …" isAnnounced>
      <p className="flex items-center gap-2">
        <Spinner /> This takes a few seconds. We check for up to a minute.
      </p>
      {error !== null && <p>{explain(error)} We keep trying.</p>}
    </Banner>
  )
}

/**
 * Makes control read the payments now: the event of a payment may be late or lost. If this fails, the event brings the
 * plan.
 */
function readPayments(): void {
  call('refreshPlan').catch(() => undefined)
}
