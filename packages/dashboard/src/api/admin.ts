import { queryOptions } from '@tanstack/react-query'
import type {
  AdminAccountResponse,
  AdminAccountsQuery,
  AdminAccountsResponse,
  ChangeAccountByOperatorRequest,
  ReasonRequest,
  SignedOutResponse
} from '@tollgate/contracts/http/admin/accounts.ts'
import type { AdjustmentRequest, AdjustmentResponse } from '@tollgate/contracts/http/admin/adjustments.ts'
import type {
  AnnouncementRequest,
  AnnouncementResponse,
  AnnouncementsResponse,
  ChangeAnnouncementRequest
} from '@tollgate/contracts/http/admin/announcements.ts'
import type { OperatorActsQuery, OperatorActsResponse } from '@tollgate/contracts/http/admin/audit.ts'
import type {
  AdminCatalogResponse,
  ApplyCatalogRequest,
  ApplyCatalogResponse,
  CatalogDiffRequest,
  CatalogDiffResponse
} from '@tollgate/contracts/http/admin/catalog.ts'
import type {
  FindReportedKeyRequest,
  FoundKeyResponse,
  RevokedKeyResponse,
  RevokeReportedKeyRequest
} from '@tollgate/contracts/http/admin/keys.ts'
import type { AdminMoneyQuery, AdminMoneyResponse } from '@tollgate/contracts/http/admin/money.ts'
import type { PendingActResponse, PendingActsResponse } from '@tollgate/contracts/http/admin/pending-acts.ts'
import type { AdminSystemResponse } from '@tollgate/contracts/http/admin/system.ts'
import type { EventsQuery, EventsResponse } from '@tollgate/contracts/http/notices.ts'
import type {
  AdminRequestResponse,
  AdminRequestsQuery,
  AdminRequestsResponse
} from '@tollgate/contracts/http/requests.ts'
import type {
  ChangeWebhookRequest,
  CreateWebhookRequest,
  ListDeliveriesQuery,
  WebhookDelivery,
  WebhookEndpoint
} from '@tollgate/contracts/http/webhooks.ts'
import { adminPaths } from './admin-paths.ts'
import { type ApiError, isCode } from './api-error.ts'
import { call, withConfirmation } from './call.ts'
import { queryClient } from './queries.ts'
import { type RequestInput, sendRequest } from './request.ts'

/** The admin API. Its types come from the schemas that control validates with. */
interface AdminOperations {
  listAccounts: { query?: AdminAccountsQuery; answer: AdminAccountsResponse }
  getAccount: { params: { id: string }; answer: AdminAccountResponse }
  suspendAccount: { params: { id: string }; body: ReasonRequest; answer: unknown }
  resumeAccount: { params: { id: string }; body: ReasonRequest; answer: unknown }
  approveAccount: { params: { id: string }; body: ReasonRequest; answer: unknown }
  signOutAccount: { params: { id: string }; body: ReasonRequest; answer: SignedOutResponse }
  changeAccount: {
    params: { id: string }
    body: ChangeAccountByOperatorRequest
    answer: AdminAccountResponse | PendingActResponse
  }
  adjustUsage: { params: { id: string }; body: AdjustmentRequest; answer: AdjustmentResponse | PendingActResponse }
  listPendingActs: { answer: PendingActsResponse }
  confirmPendingAct: { params: { id: string }; body: ReasonRequest; answer: unknown }
  rejectPendingAct: { params: { id: string }; body: ReasonRequest; answer: unknown }
  deleteAccount: { params: { id: string }; body: ReasonRequest; answer: unknown }
  findKey: { body: FindReportedKeyRequest; answer: FoundKeyResponse }
  revokeKey: { body: RevokeReportedKeyRequest; answer: RevokedKeyResponse }
  listRequests: { query: AdminRequestsQuery; answer: AdminRequestsResponse }
  getRequest: { params: { id: string }; answer: AdminRequestResponse }
  getSystem: { answer: AdminSystemResponse }
  listAnnouncements: { answer: AnnouncementsResponse }
  createAnnouncement: { body: AnnouncementRequest; answer: AnnouncementResponse }
  changeAnnouncement: { params: { id: string }; body: ChangeAnnouncementRequest; answer: AnnouncementResponse }
  deleteAnnouncement: { params: { id: string }; answer: unknown }
  getMoney: { query?: AdminMoneyQuery; answer: AdminMoneyResponse }
  getCatalog: { answer: AdminCatalogResponse }
  compareCatalog: { body: CatalogDiffRequest; answer: CatalogDiffResponse }
  applyCatalog: { body: ApplyCatalogRequest; answer: ApplyCatalogResponse }
  listEvents: { query?: EventsQuery; answer: EventsResponse }
  markEventsSeen: { body: { id: string }; answer: unknown }
  listWebhooks: { answer: { endpoints: WebhookEndpoint[] } }
  createWebhook: { body: CreateWebhookRequest; answer: EndpointWithSecret }
  listEventTypes: { answer: { event_types: Array<{ type: string; description: string }> } }
  getWebhook: { params: { id: string }; answer: { endpoint: WebhookEndpoint } }
  changeWebhook: { params: { id: string }; body: ChangeWebhookRequest; answer: unknown }
  deleteWebhook: { params: { id: string }; answer: unknown }
  rotateWebhook: { params: { id: string }; body: { overlap_seconds: number }; answer: EndpointWithSecret }
  testWebhook: { params: { id: string }; answer: unknown }
  listDeliveries: {
    params: { id: string }
    query?: ListDeliveriesQuery
    answer: { deliveries: WebhookDelivery[]; next_cursor: string | null }
  }
  redeliverWebhook: { params: { id: string; delivery_id: string }; answer: unknown }
  listActs: { query?: OperatorActsQuery; answer: OperatorActsResponse }
  /** Only to learn whether the operator may export now. */
  checkExport: { answer: unknown }
  /** Only to learn whether the operator may act. */
  checkSession: { query: { limit: string }; answer: OperatorActsResponse }
}

interface EndpointWithSecret {
  endpoint: WebhookEndpoint
  secret: string
}

type Name = keyof AdminOperations & keyof typeof adminPaths
export type AdminAnswer<Op extends Name> = AdminOperations[Op]['answer']
type Input<Op extends Name> = Omit<AdminOperations[Op], 'answer'>
/** The input can be omitted if the operation needs none. */
type InputArguments<Op extends Name> = Record<never, never> extends Input<Op> ? [input?: Input<Op>] : [input: Input<Op>]

/** All cached answers of the admin API have a key that starts with this. */
const keyOfAll = 'admin'

/**
 * Calls an operation of the admin API.
 *
 * @throws ApiError
 */
export async function adminCall<Op extends Name>(op: Op, ...rest: InputArguments<Op>): Promise<AdminAnswer<Op>> {
  return adminSend(op, rest[0] as RequestInput | undefined)
}

/** Like {@link adminCall}, with a signal that aborts the request. */
export async function adminSend<Op extends Name>(
  op: Op,
  input: RequestInput = {},
  signal?: AbortSignal
): Promise<AdminAnswer<Op>> {
  const [method, path] = adminPaths[op]
  try {
    return await withConfirmation(async () => (await sendRequest(method, path, input, signal)) as AdminAnswer<Op>)
  } catch (error) {
    // Without a session the admin API answers 404, as for everybody else. This call tells an ended session, which opens
    // sign-in.
    if (isCode(error, 'not_found')) await call('listSessions').catch(() => null)
    if (isCode(error, 'sign_in_again') && op !== 'checkSession') {
      void queryClient.invalidateQueries({ queryKey: operatorSession.queryKey })
    }
    throw error
  }
}

/** Query options for an operation that reads. */
export function adminRead<Op extends Name>(op: Op, ...rest: InputArguments<Op>) {
  const [input = {}] = rest
  return queryOptions<AdminAnswer<Op>, ApiError>({
    queryKey: [keyOfAll, op, input],
    queryFn: ({ signal }) => adminSend(op, input, signal)
  })
}

/** Fails with `sign_in_again` if the operator signed in too long ago. */
export const operatorSession = adminRead('checkSession', { query: { limit: '1' } })

/** Refetches all shown data of the admin API. */
export const refreshAdmin = (): Promise<void> => queryClient.invalidateQueries({ queryKey: [keyOfAll] })
