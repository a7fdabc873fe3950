import type { ModelKind } from '@tollgate/contracts/catalog/apis.ts'
import { type Catalog, freePlan, type Model, type Plan, readCatalogJson } from '@tollgate/contracts/catalog/catalog.ts'
import { type PriceGroup, priceGroupOf } from '@tollgate/contracts/catalog/list-prices.ts'
import { ServiceError } from '@tollgate/contracts/errors/service-error.ts'
import { catalogName } from '@tollgate/state/keyspace/names.ts'
import type { RedisLink } from '@tollgate/state/link/redis-link.ts'
import { type Follower, followChange } from '@tollgate/state/projection/changes.ts'
import { readCatalog, readCatalogVersion } from '@tollgate/state/projection/stored-catalog.ts'

/** A model with its id: the name that plans, keys, prices and usage have. */
export interface NamedModel {
  readonly id: string
  readonly model: Model
}

/** A catalog, indexed for look-ups. */
export interface CatalogView {
  readonly version: number
  /** @param name an id or an alias @returns null if the catalog has no model of that name */
  find(name: string): NamedModel | null
  /** @returns null if the catalog has no model of that name and kind */
  model(name: string, kind: ModelKind): Model | null
  /** By their ids. */
  models(): Iterable<[name: string, model: Model]>
  planNames(): Iterable<string>
  /** Whether a plan includes a model. A plan that the catalog no longer has counts as the free plan. */
  includes(plan: string, model: string): boolean
  /** @returns the plan; the free plan if the catalog no longer has it */
  plan(plan: string): Plan
  /** The price group of an account with a plan: see `priceGroupOf`. @param own the operator's for the account */
  priceGroup(own: string | undefined, plan: string): PriceGroup | null
}

export interface LiveCatalog extends Follower {
  /** null until control has verified a catalog in Redis. The last catalog stays in force while Redis is away. */
  current(): CatalogView | null
}

/** The catalog in force. @throws ServiceError state_unavailable if none is */
export function loadedCatalog(catalog: Pick<LiveCatalog, 'current'>): CatalogView {
  const view = catalog.current()
  if (view === null) throw new ServiceError('state_unavailable')
  return view
}

/**
 * Keeps the catalog that control publishes up to date. It reads the version first, and the catalog only if it is
 * another one.
 *
 * @param onChange called with each catalog before requests use it
 */
export function followCatalog(
  redis: RedisLink,
  onError: (error: unknown) => void,
  onChange: (view: CatalogView) => void = () => {}
): LiveCatalog {
  let view: CatalogView | null = null
  async function refresh(): Promise<void> {
    const node = redis.nodeOf(catalogName)
    const stored = await readCatalogVersion(redis)
    // Use only a catalog that control verified in this Redis process: after a restart from an old dump, it may be
    // outdated.
    if (stored === null || stored.run !== node.run() || stored.version === view?.version) return
    const catalog = await readCatalog(redis)
    if (catalog?.run !== node.run()) return
    const next = viewOf(catalog.version, readCatalogJson(catalog.json))
    onChange(next)
    view = next
  }

  return { ...followChange(redis, { kind: 'catalog' }, refresh, onError), current: () => view }
}

export function viewOf(version: number, catalog: Catalog): CatalogView {
  const models = new Map(Object.entries(catalog.models))
  const named = indexNames(models)
  const plans = new Map(Object.entries(catalog.plans).map(([id, plan]) => [id, new Set(plan.models)]))
  const free = plans.get(freePlan) ?? new Set<string>()
  const find = (name: string): NamedModel | null => named.get(name) ?? null
  const planOf = (id: string): Plan =>
    Object.hasOwn(catalog.plans, id) ? catalog.plans[id]! : catalog.plans[freePlan]!
  return {
    version,
    find,
    model: (name, kind) => modelOfKind(find(name), kind),
    models: () => models,
    planNames: () => plans.keys(),
    plan: planOf,
    priceGroup: (own, plan) => priceGroupOf(catalog, own, planOf(plan).priceGroup),
    includes: (plan, model) => (plans.get(plan) ?? free).has(model)
  }
}

/** @returns null for no model, and for one of another kind */
export const modelOfKind = (named: NamedModel | null, kind: ModelKind): Model | null =>
  named?.model.kind === kind ? named.model : null

/** Each model by its id and its aliases. An id is stronger than an alias. */
function indexNames(models: ReadonlyMap<string, Model>): ReadonlyMap<string, NamedModel> {
  const all = [...models].map(([id, model]): NamedModel => ({ id, model }))
  const byAlias = all.flatMap((one) => (one.model.aliases ?? []).map((alias) => [alias, one] as const))
  return new Map([...byAlias, ...all.map((one) => [one.id, one] as const)])
}

/** The same catalog without some models. */
export function withoutModels(catalog: CatalogView, ids: ReadonlySet<string>): CatalogView {
  if (ids.size === 0) return catalog
  const models = new Map([...catalog.models()].filter(([id]) => !ids.has(id)))
  const find = (name: string): NamedModel | null => {
    const entry = catalog.find(name)
    return entry === null || ids.has(entry.id) ? null : entry
  }
  return {
    ...catalog,
    find,
    model: (name, kind) => modelOfKind(find(name), kind),
    models: () => models,
    includes: (plan, model) => !ids.has(model) && catalog.includes(plan, model)
  }
}
