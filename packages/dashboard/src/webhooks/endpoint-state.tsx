import type { WebhookEndpoint } from '@tollgate/contracts/http/webhooks.ts'
import { formatMoment } from '../format/time.ts'
import { Banner } from '../ui/banner.tsx'
import { Button } from '../ui/button.tsx'

interface EndpointStateProps {
  readonly endpoint: WebhookEndpoint
  readonly isEnabling: boolean
  readonly onEnable: () => void
}

const reasons = {
  failing:
    'Every delivery failed for a day. Repair your server first. Then you can send missed messages again from the log.',
  gone: 'Your server answered 410 Gone, which means that it wants no more messages.',
  turned_off: 'Somebody turned it off.'
} as const

/** Says why an endpoint gets no events or may soon get none, and until when two secrets sign. */
export function EndpointState({ endpoint, isEnabling, onEnable }: EndpointStateProps) {
  const { enabled, disabled_reason: reason, failing_since: failing, old_secret_until: until } = endpoint
  return (
    <>
      {!enabled && (
        <Banner
          tone={reason === 'turned_off' ? 'info' : 'danger'}
          title={reason === 'turned_off' ? 'This endpoint is off' : 'This endpoint was disabled'}
        >
          <p>{reasons[reason ?? 'turned_off']} It gets no events.</p>
          <Button size="small" className="mt-2" isBusy={isEnabling} onClick={onEnable}>
            {reason === 'turned_off' ? 'Turn on' : 'Enable again'}
          </Button>
        </Banner>
      )}
      {enabled && failing !== null && (
        <Banner tone="warning" title="Deliveries fail">
          Every delivery since {formatMoment(new Date(failing))} has failed. We try again for a day. After that, the
          endpoint is disabled. The log below says what your server answered.
        </Banner>
      )}
      {until !== null && (
        <Banner title="Two secrets sign">
          Until {formatMoment(new Date(until))}, each message has a signature with the new secret and one with the old
          secret. Replace the secret on your server before then.
        </Banner>
      )}
    </>
  )
}
