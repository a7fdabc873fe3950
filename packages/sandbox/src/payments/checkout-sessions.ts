import type { FastifyInstance } from 'fastify'
import type { Static } from 'typebox'
import { newCheckoutSession, newLineItem } from './checkout.ts'
import type { PaymentsContext } from './context.ts'
import { invalidRequest } from './errors.ts'
import { checkListedCustomer, checkUrl, findCustomer, findRecurringPrice, findResource, mergeMetadata } from './find.ts'
import type { Api } from './http/api.ts'
import { isWithin, listPage } from './http/list-page.ts'
import { fields, flag, integer, list, metadata, oneOf, optional, paging, range, text } from './http/read-params.ts'
import { registerCall } from './http/register-call.ts'
import { productName, recurTogether } from './periods.ts'
import { expireSession } from './run-due.ts'
import { newId, type WireCheckoutSession, type WireLineItem } from './wire.ts'

const minuteS = 60
const dayS = 86_400

const SessionParams = fields({
  mode: oneOf('subscription', 'payment', 'setup'),
  line_items: list(fields({ price: text, quantity: optional(integer) })),
  success_url: text,
  cancel_url: optional(text),
  customer: optional(text),
  customer_email: optional(text),
  client_reference_id: optional(text),
  metadata,
  subscription_data: optional(fields({ metadata, description: optional(text), trial_period_days: optional(integer) })),
  allow_promotion_codes: optional(flag),
  billing_address_collection: optional(oneOf('auto', 'required')),
  payment_method_collection: optional(oneOf('always', 'if_required')),
  locale: optional(oneOf('auto', 'en')),
  ui_mode: optional(oneOf('hosted_page')),
  expires_at: optional(integer)
})

export function registerCheckoutSessions(app: FastifyInstance, api: Api): void {
  registerCall(app, api, {
    method: 'POST',
    url: '/v1/checkout/sessions',
    params: SessionParams.properties,
    run: createSession
  })

  registerCall(app, api, {
    method: 'GET',
    url: '/v1/checkout/sessions',
    params: {
      ...paging,
      customer: optional(text),
      subscription: optional(text),
      status: optional(oneOf('open', 'complete', 'expired')),
      created: range
    },
    run(context, { customer, subscription, status, created, ...page }) {
      checkListedCustomer(context, customer)
      const sessions = context.objects
        .list('checkout.session', customer)
        .filter((session) => subscription === undefined || session.subscription === subscription)
        .filter((session) => status === undefined || session.status === status)
        .filter((session) => isWithin(session.created, created))
      return listPage(sessions, page, 'checkout.session', '/v1/checkout/sessions')
    }
  })

  registerCall(app, api, {
    method: 'GET',
    url: '/v1/checkout/sessions/:id',
    params: {},
    run: (context, _params, id) => findResource(context, 'checkout.session', id)
  })

  registerCall(app, api, {
    method: 'GET',
    url: '/v1/checkout/sessions/:id/line_items',
    params: paging,
    run(context, page, id) {
      findResource(context, 'checkout.session', id)
      const items = context.objects.get('order', id)?.lineItems ?? []
      return listPage(items, page, 'item', `/v1/checkout/sessions/${id}/line_items`)
    }
  })

  registerCall(app, api, {
    method: 'POST',
    url: '/v1/checkout/sessions/:id/expire',
    params: {},
    run(context, _params, id) {
      const session = findResource(context, 'checkout.session', id)
      if (session.status !== 'open') {
        throw invalidRequest(
          `Only Checkout Sessions with a status in ["open"] can be expired. This Checkout Session has a status of ${session.status}.`
        )
      }
      return expireSession(context, session)
    }
  })
}

function createSession(context: PaymentsContext, params: Static<typeof SessionParams>): WireCheckoutSession {
  if (params.mode !== 'subscription') {
    throw invalidRequest(`The embedded payments server has no checkout in \`${params.mode}\` mode.`, { param: 'mode' })
  }
  checkUrl(params.success_url, 'success_url')
  if (params.cancel_url !== undefined) checkUrl(params.cancel_url, 'cancel_url')
  if (params.customer !== undefined && params.customer_email !== undefined) {
    throw invalidRequest('You may only specify one of these parameters: customer, customer_email.')
  }
  const customer = params.customer === undefined ? null : findCustomer(context, params.customer)
  const lineItems = readLineItems(context, params)
  const nowS = context.clock.nowS()
  const expiresAt = params.expires_at ?? nowS + dayS
  // The minimum is 30 minutes; one minute less allows for the time of the request.
  if (expiresAt < nowS + 29 * minuteS || expiresAt > nowS + dayS) {
    throw invalidRequest(
      'The `expires_at` timestamp must be between 30 minutes and 24 hours from Checkout Session creation.',
      { param: 'expires_at' }
    )
  }
  const id = newId('cs_test', 58)
  const session = newCheckoutSession(
    {
      id,
      url: `${context.baseUrl()}/c/pay/${id}`,
      customer: customer?.id ?? null,
      customerEmail: params.customer_email ?? customer?.email ?? null,
      clientReferenceId: params.client_reference_id ?? null,
      successUrl: params.success_url,
      cancelUrl: params.cancel_url ?? null,
      metadata: mergeMetadata(null, params.metadata),
      currency: lineItems[0]?.currency ?? 'usd',
      amount: lineItems.reduce((sum, { amount_total }) => sum + amount_total, 0),
      allowPromotionCodes: params.allow_promotion_codes ?? null,
      paymentMethodCollection: params.payment_method_collection ?? 'always',
      billingAddressCollection: params.billing_address_collection ?? null,
      locale: params.locale ?? null,
      expiresAt
    },
    nowS
  )
  context.objects.put('checkout.session', session)
  context.objects.put('order', {
    id,
    lineItems,
    subscriptionMetadata: mergeMetadata(null, params.subscription_data?.metadata),
    subscriptionDescription: params.subscription_data?.description ?? null,
    trialDays: params.subscription_data?.trial_period_days ?? 0
  })
  return session
}

function readLineItems(context: PaymentsContext, { line_items }: Static<typeof SessionParams>): WireLineItem[] {
  if (line_items.length === 0) {
    throw invalidRequest('Missing required param: line_items.', { code: 'parameter_missing', param: 'line_items' })
  }
  const items = line_items.map(({ price: id, quantity }, index) => {
    if (quantity === undefined || quantity < 1) {
      const param = `line_items[${index}][quantity]`
      throw quantity === undefined
        ? invalidRequest(`Missing required param: ${param}.`, { code: 'parameter_missing', param })
        : invalidRequest('This value must be greater than or equal to 1.', { code: 'parameter_invalid_integer', param })
    }
    const price = findRecurringPrice(context, id, `line_items[${index}][price]`)
    return newLineItem(price, quantity, productName(context, price))
  })
  if (!recurTogether(items.flatMap(({ price }) => price ?? []))) {
    throw invalidRequest('All recurring line items must have the same billing interval.', { param: 'line_items' })
  }
  return items
}
