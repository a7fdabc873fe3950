import { type ApiName, apiNames, apis, apisOfKind } from '@tollgate/contracts/catalog/apis.ts'
import type { Model, Target } from '@tollgate/contracts/catalog/catalog.ts'
import { ServiceError } from '@tollgate/contracts/errors/service-error.ts'
import { type CatalogView, withoutModels } from '../catalog/live-catalog.ts'
import { commonBetas } from './anthropic-betas.ts'
import type { Upstream, Upstreams } from './upstreams.ts'

/** How a model is offered with one API. */
export interface Offer {
  /** The targets of its route whose upstreams the gateway has and that speak the API. */
  readonly route: readonly Target[]
  /** The members that a request may have besides those of the API; null if it may have any. */
  readonly furtherMembers: ReadonlySet<string> | null
  /** The betas of Anthropic's API that it accepts besides the standard ones. */
  readonly betas: ReadonlySet<string>
}

/**
 * The APIs with which a set of upstreams offers each model. An answer is cached as long as the model's catalog exists.
 */
export class Offers {
  readonly #upstreams: Upstreams
  readonly #leftOut: ReadonlySet<string>
  readonly #byModel = new WeakMap<Model, ReadonlyMap<ApiName, Offer>>()
  readonly #views = new WeakMap<CatalogView, CatalogView>()

  /** @param leftOut the names of optional upstreams that are not set up */
  constructor(upstreams: Upstreams, leftOut: ReadonlySet<string>) {
    this.#upstreams = upstreams
    this.#leftOut = leftOut
  }

  /** A catalog without the models whose upstreams are all left out. Equal catalogs get the same view. */
  viewOf(catalog: CatalogView): CatalogView {
    let view = this.#views.get(catalog)
    if (view === undefined) {
      const isLeftOut = ({ route }: Model) => route.every(({ upstream }) => this.#leftOut.has(upstream))
      const names = [...catalog.models()].filter(([, model]) => isLeftOut(model)).map(([name]) => name)
      view = withoutModels(catalog, new Set(names))
      this.#views.set(catalog, view)
    }
    return view
  }

  /** The offers of a model; empty if the gateway has none of its upstreams. */
  of(model: Model): ReadonlyMap<ApiName, Offer> {
    let offers = this.#byModel.get(model)
    if (offers === undefined) {
      offers = offersOf(model, this.#upstreams)
      this.#byModel.set(model, offers)
    }
    return offers
  }
}

function offersOf(model: Model, upstreams: Upstreams): ReadonlyMap<ApiName, Offer> {
  const offers = new Map<ApiName, Offer>()
  for (const api of apisOfKind(model.kind)) {
    const route = model.route.filter(({ upstream }) => upstreams.get(upstream)?.speaks.has(api) === true)
    if (route.length === 0) continue
    const called = route.map(({ upstream }) => upstreams.get(upstream)!)
    const betas = commonBetas(called.map((upstream) => upstream.betas))
    offers.set(api, { route, furtherMembers: commonMembers(called), betas })
  }
  return offers
}

/**
 * The further members that all upstreams of a route accept, because a request may fail over.
 *
 * @returns null if all accept any
 */
function commonMembers(upstreams: readonly Pick<Upstream, 'furtherMembers'>[]): ReadonlySet<string> | null {
  const lists = upstreams.map(({ furtherMembers }) => furtherMembers).filter((further) => further !== null)
  const [first, ...others] = lists
  return first === undefined ? null : new Set([...first].filter((name) => others.every((list) => list.has(name))))
}

/** @returns an error that names the endpoints of a model */
export function wrongEndpoint(name: string, offers: ReadonlyMap<ApiName, Offer>): ServiceError {
  const paths = apiNames.filter((api) => offers.has(api)).map((api) => apis[api].path)
  return new ServiceError('wrong_endpoint', {
    message: `The model ${name} is not offered at this endpoint. Send the request to ${paths.join(' or ')}.`
  })
}
