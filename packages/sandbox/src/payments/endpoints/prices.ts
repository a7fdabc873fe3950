import type { FastifyInstance } from 'fastify'
import { previousAttributes } from '../events/previous-attributes.ts'
import type { Api } from '../http/api.ts'
import { isWithin, listPage } from '../http/list-page.ts'
import {
  clearable,
  fields,
  flag,
  integer,
  list,
  metadata,
  oneOf,
  optional,
  paging,
  range,
  text
} from '../http/params.ts'
import { registerCall } from '../http/register-call.ts'
import { mergeMetadata } from '../objects/merge-metadata.ts'
import { newPrice } from '../objects/new-price.ts'
import type { WirePrice } from '../wire.ts'
import { findReference, findResource } from './find.ts'

const interval = oneOf('day', 'week', 'month', 'year')

export function registerPrices(app: FastifyInstance, api: Api): void {
  registerReads(app, api)
  registerChanges(app, api)
}

function registerReads(app: FastifyInstance, api: Api): void {
  registerCall(app, api, {
    method: 'GET',
    url: '/v1/prices',
    params: {
      ...paging,
      active: optional(flag),
      product: optional(text),
      currency: optional(text),
      type: optional(oneOf('one_time', 'recurring')),
      lookup_keys: optional(list(text)),
      recurring: optional(fields({ interval: optional(interval) })),
      created: range
    },
    run({ objects }, { active, product, currency, type, lookup_keys, recurring, created, ...page }) {
      const prices = objects
        .list('price', product)
        .filter((price) => active === undefined || price.active === active)
        .filter((price) => currency === undefined || price.currency === currency)
        .filter((price) => type === undefined || price.type === type)
        .filter((price) => lookup_keys === undefined || lookup_keys.includes(price.lookup_key ?? ''))
        .filter((price) => recurring?.interval === undefined || price.recurring?.interval === recurring.interval)
        .filter((price) => isWithin(price.created, created))
      return listPage(prices, page, 'price', '/v1/prices')
    }
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
      recurring: optional(fields({ interval, interval_count: optional(integer) })),
      nickname: optional(text),
      lookup_key: optional(text),
      active: optional(flag),
      metadata
    },
    run(context, given) {
      findReference(context, 'product', given.product, 'product')
      const { recurring } = given
      const price = newPrice(
        {
          product: given.product,
          currency: given.currency.toLowerCase(),
          unitAmount: given.unit_amount,
          recurring:
            recurring === undefined
              ? null
              : { interval: recurring.interval, intervalCount: recurring.interval_count ?? 1 },
          ...(given.nickname !== undefined && { nickname: given.nickname }),
          ...(given.lookup_key !== undefined && { lookupKey: given.lookup_key }),
          ...(given.active !== undefined && { active: given.active }),
          metadata: mergeMetadata(null, given.metadata)
        },
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
    params: { active: optional(flag), nickname: clearable(text), metadata },
    run(context, { metadata, ...given }, id) {
      const price = findResource(context, 'price', id)
      const changed: WirePrice = {
        ...price,
        ...given,
        metadata: metadata === undefined ? price.metadata : mergeMetadata(price.metadata, metadata)
      }
      context.objects.put('price', changed)
      context.emit('price.updated', changed, previousAttributes(price, changed))
      return changed
    }
  })
}
