import type { FastifyInstance } from 'fastify'
import { invalidRequest } from '../errors.ts'
import { previousAttributes } from '../events/previous-attributes.ts'
import type { Api } from '../http/api.ts'
import { isWithin, listPage } from '../http/list-page.ts'
import { clearable, flag, list, metadata, optional, paging, range, text } from '../http/params.ts'
import { registerCall } from '../http/register-call.ts'
import { mergeMetadata } from '../objects/merge-metadata.ts'
import { newProduct } from '../objects/new-product.ts'
import type { WireProduct } from '../wire.ts'
import { findResource } from './find.ts'

export function registerProducts(app: FastifyInstance, api: Api): void {
  registerCall(app, api, {
    method: 'POST',
    url: '/v1/products',
    params: {
      id: optional(text),
      name: text,
      description: optional(text),
      active: optional(flag),
      metadata
    },
    run(context, { metadata, ...given }) {
      if (given.id !== undefined && context.objects.get('product', given.id) !== null) {
        throw invalidRequest(`Product already exists.`, { code: 'resource_already_exists', param: 'id' })
      }
      const product = newProduct({ ...given, metadata: mergeMetadata(null, metadata) }, context.clock.nowS())
      context.objects.put('product', product)
      context.emit('product.created', product)
      return product
    }
  })

  registerCall(app, api, {
    method: 'GET',
    url: '/v1/products',
    params: { ...paging, active: optional(flag), ids: optional(list(text)), created: range },
    run({ objects }, { active, ids, created, ...page }) {
      const products = objects
        .list('product')
        .filter((product) => active === undefined || product.active === active)
        .filter(({ id }) => ids === undefined || ids.includes(id))
        .filter((product) => isWithin(product.created, created))
      return listPage(products, page, 'product', '/v1/products')
    }
  })

  registerCall(app, api, {
    method: 'GET',
    url: '/v1/products/:id',
    params: {},
    run: (context, _params, id) => findResource(context, 'product', id)
  })

  registerCall(app, api, {
    method: 'POST',
    url: '/v1/products/:id',
    params: { name: optional(text), description: clearable(text), active: optional(flag), metadata },
    run(context, { metadata, ...given }, id) {
      const product = findResource(context, 'product', id)
      const changed: WireProduct = {
        ...product,
        ...given,
        metadata: metadata === undefined ? product.metadata : mergeMetadata(product.metadata, metadata),
        updated: context.clock.nowS()
      }
      context.objects.put('product', changed)
      context.emit('product.updated', changed, previousAttributes(product, changed))
      return changed
    }
  })
}
