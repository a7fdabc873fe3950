import type { FastifyInstance } from 'fastify'
import { collectInvoice } from '../billing/collect-invoice.ts'
import { previewInvoice, renews } from '../billing/next-invoice.ts'
import { cardDeclined, invalidRequest, missingReference, noUpcomingInvoice } from '../errors.ts'
import type { Api } from '../http/api.ts'
import { isWithin, listPage } from '../http/list-page.ts'
import { oneOf, optional, paging, range, text } from '../http/params.ts'
import { registerCall } from '../http/register-call.ts'
import { checkListedCustomer, findCustomer, findReference, findResource } from './find.ts'

export function registerInvoices(app: FastifyInstance, api: Api): void {
  registerCall(app, api, {
    method: 'GET',
    url: '/v1/invoices',
    params: {
      ...paging,
      customer: optional(text),
      subscription: optional(text),
      status: optional(oneOf('draft', 'open', 'paid', 'uncollectible', 'void')),
      created: range
    },
    run(context, { customer, subscription, status, created, ...page }) {
      checkListedCustomer(context, customer)
      const invoices = context.objects
        .list('invoice', customer)
        .filter(({ parent }) => !subscription || parent?.subscription_details?.subscription === subscription)
        .filter((invoice) => status === undefined || invoice.status === status)
        .filter((invoice) => isWithin(invoice.created, created))
      return listPage(invoices, page, 'invoice', '/v1/invoices')
    }
  })

  registerCall(app, api, {
    method: 'GET',
    url: '/v1/invoices/:id',
    params: {},
    run: (context, _params, id) => findResource(context, 'invoice', id)
  })

  registerCall(app, api, {
    method: 'GET',
    url: '/v1/invoices/:id/lines',
    params: paging,
    run(context, page, id) {
      const { lines } = findResource(context, 'invoice', id)
      return listPage(lines.data, page, 'line_item', `/v1/invoices/${id}/lines`)
    }
  })

  registerCall(app, api, {
    method: 'POST',
    url: '/v1/invoices/create_preview',
    params: { customer: optional(text), subscription: optional(text) },
    run(context, { customer, subscription: id }) {
      if (id === undefined) {
        throw invalidRequest(
          'You must provide at least one of: `subscription`, `schedule`, `subscription_details.items`, `schedule_details.phases`, `invoice_items`.'
        )
      }
      const subscription = findReference(context, 'subscription', id, 'subscription')
      if (customer !== undefined && subscription.customer !== findCustomer(context, customer).id) {
        throw missingReference('subscription', id, 'subscription')
      }
      if (!renews(subscription)) throw noUpcomingInvoice(subscription.customer)
      return previewInvoice(context, subscription)
    }
  })

  // Unlike at Stripe, a declined card changes nothing: the transaction is rolled back with the 402.
  registerCall(app, api, {
    method: 'POST',
    url: '/v1/invoices/:id/pay',
    params: {},
    run(context, _params, id) {
      const invoice = findResource(context, 'invoice', id)
      if (invoice.status === 'paid') throw invalidRequest('Invoice is already paid')
      if (invoice.status !== 'open') throw invalidRequest(`This invoice cannot be paid: it is ${invoice.status}.`)
      const collected = collectInvoice(context, invoice)
      if (collected.status !== 'paid') throw cardDeclined('Your card was declined.', 'generic_decline')
      return collected
    }
  })
}
