import type { FastifyInstance } from 'fastify'
import { previousAttributes } from '../events/previous-attributes.ts'
import type { Api } from '../http/api.ts'
import { listPage } from '../http/list-page.ts'
import { fields, flag, integer, oneOf, optional, paging, text } from '../http/params.ts'
import { registerCall } from '../http/register-call.ts'
import { newPrice } from '../objects/new-price.ts'
import type { WirePrice } from '../wire.ts'
import { findReference, findResource } from './find.ts'

export function registerPrices(app: FastifyInstance, api: Api): void {
  registerReads(app, api)
  registerChanges(app, api)
}

function registerReads(app: FastifyInstance, api: Api): void {
  registerCall(app, api, {
    method: 'GET',
    url: '/v1/prices',
    params: paging,
    run: ({ objects }, page) => listPage(objects.list('price'), page, 'price', '/v1/prices')
  })

  registerCall(app, api, {
    method: 'GET',
    url: '/v1/prices/:id',
    params: {},
    run: (context, _params, id) => findResource(context, 'price', id)
  })
}

function registerChanges(app: FastifyInstance, api: Api): void {
  registerCall(app, api, {
    method: 'POST',
    url: '/v1/prices',
    params: {
      product: text,
      currency: text,
      unit_amount: integer,
      recurring: optional(fields({ interval: oneOf('month', 'year') }))
    },
    run(context, { product, currency, unit_amount, recurring }) {
      findReference(context, 'product', product, 'product')
      const price = newPrice(
        { product, currency: currency.toLowerCase(), unitAmount: unit_amount, interval: recurring?.interval ?? null },
        context.clock.nowS()
      )
      context.objects.put('price', price)
      context.emit('price.created', price)
      return price
    }
  })

  registerCall(app, api, {
    method: 'POST',
    url: '/v1/prices/:id',
    params: { active: optional(flag) },
    run(context, given, id) {
      const price = findResource(context, 'price', id)
      const changed: WirePrice = { ...price, ...given }
      context.objects.put('price', changed)
      context.emit('price.updated', changed, previousAttributes(price, changed))
      return changed
    }
  })
}
