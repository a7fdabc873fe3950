import { randomBase62 } from '@tollgate/contracts/keys/base62.ts'
import type { FastifyInstance } from 'fastify'
import type { Static } from 'typebox'
import type { PaymentsContext } from './context.ts'
import { invalidRequest } from './errors.ts'
import { checkUrl, findCustomer, findReference } from './find.ts'
import type { Api } from './http/api.ts'
import { fields, integer, list, oneOf, optional, text } from './http/read-params.ts'
import { registerCall } from './http/register-call.ts'
import { newId, type WirePortalConfiguration, type WirePortalSession } from './wire.ts'

/** The lifetime of the link, which works once. */
const unopenedS = 300

const ofSubscription = optional(fields({ subscription: text }))

const Flow = fields({
  type: oneOf('payment_method_update', 'subscription_cancel', 'subscription_update', 'subscription_update_confirm'),
  subscription_cancel: ofSubscription,
  subscription_update: ofSubscription,
  subscription_update_confirm: optional(
    fields({ subscription: text, items: list(fields({ id: text, price: text, quantity: optional(integer) })) })
  ),
  after_completion: optional(
    fields({
      type: oneOf('portal_homepage', 'redirect'),
      redirect: optional(fields({ return_url: text }))
    })
  )
})

export function registerPortalSessions(app: FastifyInstance, api: Api): void {
  registerCall(app, api, {
    method: 'POST',
    url: '/v1/billing_portal/sessions',
    params: {
      customer: text,
      return_url: optional(text),
      configuration: optional(text),
      locale: optional(oneOf('auto', 'en')),
      flow_data: optional(Flow)
    },
    run(context, params) {
      const customer = findCustomer(context, params.customer)
      if (params.return_url !== undefined) checkUrl(params.return_url, 'return_url')
      const configuration = findConfiguration(context, params.configuration)
      const nowS = context.clock.nowS()
      const link = randomBase62(40)
      const session: WirePortalSession = {
        id: newId('bps'),
        object: 'billing_portal.session',
        configuration: configuration.id,
        created: nowS,
        customer: customer.id,
        customer_account: null,
        flow: params.flow_data === undefined ? null : readFlow(context, customer.id, configuration, params.flow_data),
        livemode: false,
        locale: params.locale ?? null,
        on_behalf_of: null,
        return_url: params.return_url ?? configuration.default_return_url,
        url: `${context.baseUrl()}/p/session/${link}`
      }
      context.objects.put('portal_visit', { id: link, session, visit: null, expires_at: nowS + unopenedS })
      context.emit('billing_portal.session.created', session)
      return session
    }
  })
}

function findConfiguration(context: PaymentsContext, id: string | undefined): WirePortalConfiguration {
  if (id !== undefined) return findReference(context, 'billing_portal.configuration', id, 'configuration')
  const saved = context.objects.list('billing_portal.configuration').find(({ is_default }) => is_default)
  if (saved !== undefined) return saved
  throw invalidRequest(
    'No configuration provided and your test mode default configuration has not been created. Provide a configuration or create your default by saving your customer portal settings in test mode at https://dashboard.stripe.com/test/settings/billing/portal.'
  )
}

function readFlow(
  context: PaymentsContext,
  customer: string,
  configuration: WirePortalConfiguration,
  { type, after_completion, ...values }: Static<typeof Flow>
): WirePortalSession['flow'] {
  const subscriptionOf = (flow: 'subscription_cancel' | 'subscription_update' | 'subscription_update_confirm') => {
    if (type !== flow) return null
    const param = `flow_data[${flow}][subscription]`
    const id = values[flow]?.subscription
    if (id === undefined) {
      throw invalidRequest(`Missing required param: ${param}.`, { code: 'parameter_missing', param })
    }
    const { customer: owner } = findReference(context, 'subscription', id, param)
    if (owner !== customer) throw invalidRequest('The subscription does not belong to this customer.', { param })
    if (flow !== 'subscription_cancel' && !configuration.features.subscription_update.enabled) {
      throw invalidRequest(
        'This subscription cannot be updated because the subscription update feature in the portal configuration is disabled.'
      )
    }
    return id
  }
  const cancelled = subscriptionOf('subscription_cancel')
  const updated = subscriptionOf('subscription_update')
  const confirmed = subscriptionOf('subscription_update_confirm')
  const redirect = after_completion?.redirect
  if (redirect !== undefined) checkUrl(redirect.return_url, 'flow_data[after_completion][redirect][return_url]')
  return {
    after_completion: {
      hosted_confirmation: null,
      redirect: redirect ?? null,
      type: after_completion?.type ?? 'portal_homepage'
    },
    customer_update: null,
    subscription_cancel: cancelled === null ? null : { retention: null, subscription: cancelled },
    subscription_pause: null,
    subscription_update: updated === null ? null : { subscription: updated },
    subscription_update_confirm:
      confirmed === null ? null : readConfirmation(context, confirmed, values.subscription_update_confirm?.items ?? []),
    type
  }
}

type Confirmation = NonNullable<NonNullable<WirePortalSession['flow']>['subscription_update_confirm']>

/** Stripe takes one item, which must belong to the subscription and get another price. */
function readConfirmation(
  context: PaymentsContext,
  subscription: string,
  items: ReadonlyArray<{ id: string; price: string; quantity?: number }>
): Confirmation {
  const param = 'flow_data[subscription_update_confirm][items]'
  const [item] = items
  if (item === undefined || items.length > 1) throw invalidRequest('You must provide exactly one item.', { param })
  const { data } = findReference(context, 'subscription', subscription, param).items
  const own = data.find(({ id }) => id === item.id)
  if (own === undefined) throw invalidRequest(`No such subscription item: '${item.id}'`, { param: `${param}[0][id]` })
  const { id: price } = findReference(context, 'price', item.price, `${param}[0][price]`)
  if (own.price.id === price) throw invalidRequest('The subscription already has this price.', { param })
  return { discounts: null, items: [{ id: item.id, price, quantity: item.quantity ?? 1 }], subscription }
}
