import Fastify, { type FastifyInstance, type FastifyRequest, type FastifyServerOptions } from 'fastify'
import Stripe from 'stripe'
import { refuseForeignHosts } from '../own-host.ts'
import type { Controls } from './controls.ts'
import { registerCheckoutSessions } from './endpoints/checkout-sessions.ts'
import { registerCustomers } from './endpoints/customers.ts'
import { registerEvents } from './endpoints/events.ts'
import { registerInvoices } from './endpoints/invoices.ts'
import { registerPaymentMethods } from './endpoints/payment-methods.ts'
import { registerPortalConfigurations } from './endpoints/portal-configurations.ts'
import { registerPortalSessions } from './endpoints/portal-sessions.ts'
import { registerPrices } from './endpoints/prices.ts'
import { registerSubscriptions } from './endpoints/subscriptions.ts'
import { registerWebhookEndpoints } from './endpoints/webhook-endpoints.ts'
import { invalidRequest, StripeApiError } from './errors.ts'
import type { Api } from './http/api.ts'
import { requireApiKey } from './http/authenticate.ts'
import type { RecordedCall } from './http/call-record.ts'
import { registerSandboxApi } from './http/sandbox-api.ts'
import { sendError } from './http/send-error.ts'
import { newId } from './objects/new-id.ts'
import { registerCheckoutPages } from './pages/checkout-pages.ts'
import { registerInvoicePages } from './pages/invoice-pages.ts'
import { sendPageError } from './pages/layout.ts'
import { registerPortalPages } from './pages/portal-pages.ts'

const bodyLimit = 1_048_576

/**
 * Builds the HTTP server: Stripe's API below `/v1`, the hosted pages, and the controls below `/_sandbox`.
 *
 * @param logger gets failures and requests to unsupported endpoints; false: nothing is logged
 */
export function buildPaymentsApp(
  api: Api,
  controls: Controls,
  logger: FastifyServerOptions['logger']
): FastifyInstance {
  const app = Fastify({
    bodyLimit,
    exposeHeadRoutes: false,
    forceCloseConnections: true,
    genReqId: () => newId('req', 14),
    logger,
    frameworkErrors: sendError
  })
  refuseForeignHosts(app)
  app.setErrorHandler(sendError)
  app.addHook('onSend', async (request, reply) => void reply.header('request-id', request.id))
  app.setNotFoundHandler((request) => {
    const what = `Unrecognized request URL (${request.method}: ${request.url.split('?')[0]}).`
    request.log.warn(what)
    if (isApiPath(request)) requireApiKey(request, api.context.settings.apiKey)
    throw new StripeApiError(404, {
      type: 'invalid_request_error',
      message: `${what} The embedded payments server does not support it.`
    })
  })

  app.register(async (v1) => {
    takeBodiesAsText(v1)
    recordCalls(v1, api)
    v1.addHook('onRequest', async (request) => {
      requireApiKey(request, api.context.settings.apiKey)
      requireVersion(request)
    })
    registerCustomers(v1, api)
    registerPrices(v1, api)
    registerPaymentMethods(v1, api)
    registerCheckoutSessions(v1, api)
    registerPortalConfigurations(v1, api)
    registerPortalSessions(v1, api)
    registerSubscriptions(v1, api)
    registerInvoices(v1, api)
    registerEvents(v1, api)
    registerWebhookEndpoints(v1, api)
  })
  app.register(async (pages) => {
    takeBodiesAsText(pages)
    pages.setErrorHandler<Error>((error, request, reply) => {
      request.log.error(error)
      return sendPageError(error, reply, api.context.settings.businessName)
    })
    registerCheckoutPages(pages, api)
    registerPortalPages(pages, api)
    registerInvoicePages(pages, api)
  })
  app.register(async (sandbox) => registerSandboxApi(sandbox, controls))
  return app
}

function takeBodiesAsText(app: FastifyInstance): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', { parseAs: 'string' }, (_request, body, done) => done(null, body))
}

function isApiPath({ url }: FastifyRequest): boolean {
  return url.startsWith('/v1/')
}

/** @throws StripeApiError 400 for another API version, because its fields differ */
function requireVersion(request: FastifyRequest): void {
  const { 'stripe-version': version } = request.headers
  if (version !== undefined && version !== Stripe.API_VERSION) {
    throw invalidRequest(`The embedded payments server supports API version ${Stripe.API_VERSION}, not ${version}.`)
  }
}

function recordCalls(app: FastifyInstance, { calls }: Api): void {
  const callsInProgress = new WeakMap<FastifyRequest, RecordedCall>()
  app.addHook('preHandler', async (request) => {
    const [path = '', query = ''] = request.url.split('?')
    const { 'idempotency-key': key } = request.headers
    const call: RecordedCall = {
      method: request.method,
      path,
      params: typeof request.body === 'string' && request.body !== '' ? request.body : query,
      idempotency_key: typeof key === 'string' ? key : null,
      request_id: request.id,
      status: null,
      is_replayed: false,
      at_ms: Date.now()
    }
    callsInProgress.set(request, call)
    calls.add(call)
  })
  app.addHook('onSend', async (request, reply) => {
    const call = callsInProgress.get(request)
    if (call === undefined) return
    call.status = reply.statusCode
    call.is_replayed = reply.hasHeader('idempotent-replayed')
  })
}
