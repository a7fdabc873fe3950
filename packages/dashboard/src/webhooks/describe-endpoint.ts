import type { WebhookDelivery, WebhookEndpoint } from '@tollgate/contracts/http/webhooks.ts'
import { countOf } from '../format/number.ts'

type Described = Pick<WebhookEndpoint, 'enabled' | 'disabled_reason' | 'failing_since'>
type Tone = 'accent' | 'warning' | 'danger' | 'neutral'

/** The state of an endpoint in one or two words. */
export function stateOfEndpoint({ enabled, disabled_reason, failing_since }: Described): readonly [Tone, string] {
  if (enabled) return failing_since === null ? ['accent', 'On'] : ['warning', 'Failing']
  return disabled_reason === 'turned_off' ? ['neutral', 'Off'] : ['danger', 'Disabled']
}

/** The host of an endpoint, which names it in titles. */
export function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : url
}

/** Which events an endpoint gets. */
export const describeTypes = (types: WebhookEndpoint['event_types']): string =>
  types === null
    ? 'All events'
    : types.length === 1
      ? String(types[0])
      : countOf(types.length, 'type', 'types of events')

export const deliveryStates: Readonly<Record<WebhookDelivery['status'], readonly [Tone, string]>> = {
  pending: ['warning', 'Pending'],
  delivered: ['accent', 'Delivered'],
  failed: ['danger', 'Failed']
}

/** What became of a try. */
export const describeAttempt = ({ status, error }: WebhookDelivery['attempts'][number]): string => {
  if (error === null) return status === null ? 'Delivered' : `Delivered, answered ${status}`
  return error
}
