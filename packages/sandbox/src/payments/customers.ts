import { randomBase62 } from '@tollgate/contracts/keys/base62.ts'
import type { FastifyInstance } from 'fastify'
import { cancelSubscription } from './cancel-subscription.ts'
import { changeCustomer } from './changes.ts'
import { invalidRequest } from './errors.ts'
import { findReference, findResource, mergeMetadata } from './find.ts'
import type { Api } from './http/api.ts'
import { isWithin, listPage } from './http/list-page.ts'
import { clearable, fields, integer, metadata, optional, paging, range, text } from './http/read-params.ts'
import { registerCall } from './http/register-call.ts'
import { type Metadata, newId, type WireCustomer } from './wire.ts'

const details = {
  email: clearable(text),
  name: clearable(text),
  phone: clearable(text),
  description: clearable(text),
  metadata,
  invoice_settings: optional(fields({ default_payment_method: clearable(text) }))
}

export function registerCustomers(app: FastifyInstance, api: Api): void {
  registerReads(app, api)
  registerChanges(app, api)
}

function registerReads(app: FastifyInstance, api: Api): void {
  registerCall(app, api, {
    method: 'GET',
    url: '/v1/customers',
    params: { ...paging, email: optional(text), created: range },
    run({ objects }, { email, created, ...page }) {
      const customers = objects.list('customer', email).filter((customer) => isWithin(customer.created, created))
      return listPage(customers, page, 'customer', '/v1/customers')
    }
  })

  registerCall(app, api, {
    method: 'GET',
    url: '/v1/customers/:id',
    params: {},
    run: (context, _params, id) => context.objects.get('deleted_customer', id) ?? findResource(context, 'customer', id)
  })
}

function registerChanges(app: FastifyInstance, api: Api): void {
  registerCall(app, api, {
    method: 'POST',
    url: '/v1/customers',
    params: details,
    run(context, { email, name, phone, description, metadata }) {
      checkEmail(email)
      const customer = newCustomer(
        {
          email: email ?? null,
          name: name ?? null,
          phone: phone ?? null,
          description: description ?? null,
          metadata: mergeMetadata(null, metadata)
        },
        context.clock.nowS()
      )
      context.objects.put('customer', customer)
      context.emit('customer.created', customer)
      return customer
    }
  })

  registerCall(app, api, {
    method: 'POST',
    url: '/v1/customers/:id',
    params: { ...details, balance: optional(integer) },
    run(context, { metadata, invoice_settings, ...values }, id) {
      checkEmail(values.email)
      const customer = findResource(context, 'customer', id)
      const paymentMethod = invoice_settings?.default_payment_method
      if (paymentMethod) {
        findReference(context, 'payment_method', paymentMethod, 'invoice_settings[default_payment_method]')
      }
      return changeCustomer(context, customer, {
        ...values,
        ...(metadata !== undefined && { metadata: mergeMetadata(customer.metadata, metadata) }),
        ...(paymentMethod !== undefined && {
          invoice_settings: { ...customer.invoice_settings, default_payment_method: paymentMethod }
        })
      })
    }
  })

  registerCall(app, api, {
    method: 'DELETE',
    url: '/v1/customers/:id',
    params: {},
    run(context, _params, id) {
      const customer = findResource(context, 'customer', id)
      for (const subscription of context.objects.list('subscription', id)) {
        if (subscription.ended_at === null) cancelSubscription(context, subscription, 'cancellation_requested')
      }
      const deleted = { id, object: 'customer', deleted: true } as const
      context.objects.remove('customer', id)
      context.objects.put('deleted_customer', deleted)
      context.emit('customer.deleted', customer)
      return deleted
    }
  })
}

function checkEmail(email: string | null | undefined): void {
  if (email && !/^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(email)) {
    throw invalidRequest(`Invalid email address: ${email}`, { code: 'email_invalid', param: 'email' })
  }
}

interface CustomerDetails {
  email?: string | null
  name?: string | null
  phone?: string | null
  description?: string | null
  metadata?: Metadata
}

export function newCustomer(details: CustomerDetails, nowS: number): WireCustomer {
  return {
    id: newId('cus', 14),
    object: 'customer',
    address: null,
    balance: 0,
    created: nowS,
    currency: null,
    customer_account: null,
    default_source: null,
    delinquent: false,
    description: details.description ?? null,
    discount: null,
    email: details.email ?? null,
    invoice_prefix: randomBase62(8).toUpperCase(),
    invoice_settings: { custom_fields: null, default_payment_method: null, footer: null, rendering_options: null },
    livemode: false,
    metadata: details.metadata ?? {},
    name: details.name ?? null,
    next_invoice_sequence: 1,
    phone: details.phone ?? null,
    preferred_locales: [],
    shipping: null,
    tax_exempt: 'none',
    test_clock: null
  }
}
