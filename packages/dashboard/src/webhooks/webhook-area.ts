import type { QueryKey } from '@tanstack/react-query'
import type {
  ChangeWebhookRequest,
  CreateWebhookRequest,
  WebhookDelivery,
  WebhookEndpoint
} from '@tollgate/contracts/http/webhooks.ts'
import { queryClient } from '../api/queries.ts'
import { countOf } from '../format/number.ts'

export interface EventTypeInWords {
  readonly type: string
  readonly description: string
}
export interface WithSecret {
  readonly endpoint: WebhookEndpoint
  readonly secret: string
}
export interface DeliveriesPage {
  readonly deliveries: WebhookDelivery[]
  readonly next_cursor: string | null
}

/** The webhook endpoints of an account or of the operators: how to read and change them. */
export interface WebhookArea {
  /** The keys of all its cached answers start with this. */
  readonly key: QueryKey
  /** The page with the list. The page of an endpoint is below it. */
  readonly page: '/dashboard/webhooks' | '/dashboard/operator/webhooks'
  readonly title: string
  readonly description: string
  readonly list: (signal: AbortSignal) => Promise<{ readonly endpoints: WebhookEndpoint[] }>
  readonly find: (id: string, signal: AbortSignal) => Promise<{ readonly endpoint: WebhookEndpoint }>
  readonly listTypes: (signal: AbortSignal) => Promise<{ readonly event_types: readonly EventTypeInWords[] }>
  readonly listDeliveries: (
    id: string,
    page: { readonly limit: string; readonly status?: string | undefined; readonly cursor?: string | undefined },
    signal: AbortSignal
  ) => Promise<DeliveriesPage>
  readonly create: (request: CreateWebhookRequest) => Promise<WithSecret>
  readonly change: (id: string, request: ChangeWebhookRequest) => Promise<unknown>
  readonly rotate: (id: string, overlapSeconds: number) => Promise<WithSecret>
  readonly remove: (id: string) => Promise<unknown>
  readonly sendTest: (id: string) => Promise<unknown>
  readonly redeliver: (id: string, deliveryId: string) => Promise<unknown>
}

export const listKey = ({ key }: WebhookArea): QueryKey => [...key, 'list']

/** The endpoints that the page of an area shows. */
export const shownEndpoints = (area: WebhookArea): readonly WebhookEndpoint[] =>
  queryClient.getQueryData<Awaited<ReturnType<WebhookArea['list']>>>(listKey(area))?.endpoints ?? []

/** Refetches everything that is shown about the endpoints of an area. */
export const refreshWebhooks = ({ key }: WebhookArea): Promise<void> => queryClient.invalidateQueries({ queryKey: key })

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
