import type { QueryKey } from '@tanstack/react-query'
import type {
  ChangeWebhookRequest,
  CreateWebhookRequest,
  WebhookDelivery,
  WebhookEndpoint
} from '@tollgate/contracts/http/webhooks.ts'
import { queryClient } from '../api/queries.ts'

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
  readonly create: (asked: CreateWebhookRequest) => Promise<WithSecret>
  readonly change: (id: string, asked: ChangeWebhookRequest) => Promise<unknown>
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
