import type { ApiName } from '@tollgate/contracts/catalog/apis.ts'
import type { Model } from '@tollgate/contracts/catalog/catalog.ts'
import { ServiceError } from '@tollgate/contracts/errors/service-error.ts'
import type { CatalogView } from '../catalog/live-catalog.ts'
import type { UpstreamSet } from '../upstreams/live-upstreams.ts'
import { type Offer, wrongEndpoint } from '../upstreams/offers.ts'
import type { InferenceDependencies } from './dependencies.ts'

/**
 * Finds how a model is offered with one API.
 *
 * @param onUnavailable called if the gateway has none of the model's upstreams
 * @throws ServiceError model_unavailable or wrong_endpoint
 */
export function findOffer(
  name: string,
  model: Model,
  api: ApiName,
  { byName, offers }: Pick<UpstreamSet, 'byName' | 'offers'>,
  { onUnavailable }: Pick<InferenceDependencies, 'onUnavailable'>
): Offer {
  const offered = offers.of(model)
  const offer = offered.get(api)
  if (offer !== undefined) return offer
  if (model.route.some(({ upstream }) => byName.has(upstream))) throw wrongEndpoint(name, offered)
  onUnavailable(name, model)
  throw new ServiceError('model_unavailable')
}

/**
 * Adds the endpoints of a model to the refusal of one whose kind the endpoint does not serve. Other errors stay as they
 * are.
 *
 * @param name as the client asked for it
 * @param view the catalog that the request was judged on
 */
export function nameEndpoints(
  error: unknown,
  name: string,
  view: CatalogView,
  { offers }: Pick<UpstreamSet, 'offers'>
): unknown {
  if (!(error instanceof ServiceError) || error.code !== 'wrong_endpoint') return error
  const model = view.find(name)?.model
  const offered = model && offers.of(model)
  return offered === undefined || offered.size === 0 ? error : wrongEndpoint(name, offered)
}
