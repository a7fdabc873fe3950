import type { FastifyInstance, FastifyRequest, FastifyServerOptions } from 'fastify'
import Fastify from 'fastify'
import Stripe from 'stripe'
import { refuseForeignHosts } from '../own-host.ts'
import { attachCard, type CardInput, checkCard } from './cards.ts'
import { registerCheckoutSessions } from './checkout-sessions.ts'
import type { Controls } from './controls.ts'
import { registerCustomers } from './customers.ts'
import { invalidRequest, StripeApiError, sendError } from './errors.ts'
import { registerEvents, registerWebhookEndpoints } from './events.ts'
import { findCustomer, findResource } from './find.ts'
import { type Api, type RecordedCall, requireApiKey } from './http/api.ts'
import { text } from './http/read-params.ts'
import { registerCall } from './http/register-call.ts'
import { registerSandboxApi } from './http/sandbox-api.ts'
import { registerInvoices } from './invoices.ts'
import { registerCheckoutPages } from './pages/checkout-pages.ts'
import { registerInvoicePages } from './pages/invoice-pages.ts'
import { sendPageError } from './pages/layout.ts'
import { registerPortalPages } from './pages/portal-pages.ts'
import { registerPortalConfigurations } from './portal-configurations.ts'
import { registerPortalSessions } from './portal-sessions.ts'
import { registerPrices } from './prices.ts'
import { registerRefunds } from './refunds.ts'
import { registerSubscriptions } from './subscriptions.ts'
import { newId } from './wire.ts'

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
    registerRefunds(v1, api)
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

/** Stripe's ids of test cards, which need no card form. */
const namedCards: Readonly<Record<string, string>> = {
  pm_card_visa: '4242424242424242',
  pm_card_mastercard: '5555555555554444',
  pm_card_chargeCustomerFail: '4000000000000341'
}

function registerPaymentMethods(app: FastifyInstance, api: Api): void {
  registerCall(app, api, {
    method: 'POST',
    url: '/v1/payment_methods/:id/attach',
    params: { customer: text },
    run(context, { customer }, id) {
      const owner = findCustomer(context, customer)
      const number = namedCards[id]
      if (number === undefined) return findResource(context, 'payment_method', id)
      const nowS = context.clock.nowS()
      const input: CardInput = { number, expiry: `12/${new Date(nowS * 1000).getUTCFullYear() + 1}`, cvc: '123' }
      return attachCard(context, owner, checkCard(input, nowS), owner.name ?? null)
    }
  })
}
