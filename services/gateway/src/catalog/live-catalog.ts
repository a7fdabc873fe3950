import {
  type Catalog,
  freePlan,
  type Model,
  type ModelKind,
  type Plan,
  readCatalogJson
} from '@tollgate/contracts/catalog/catalog.ts'
import { catalogName, changesChannel } from '@tollgate/state/keyspace/names.ts'
import { RedisAwayError, type RedisLink } from '@tollgate/state/link/redis-link.ts'
import type { ChangeNotice } from '@tollgate/state/projection/announce-change.ts'
import { readCatalog, readCatalogVersion } from '@tollgate/state/projection/stored-catalog.ts'

const catalogNotice = JSON.stringify({ kind: 'catalog' } satisfies ChangeNotice)

/** How often the version in Redis is looked at. */
const pollMs = 1000

/** A catalog made ready for look-ups. */
export type CatalogView = {
  readonly version: number
  /** The model if the catalog has it and it is of that kind. */
  model(name: string, kind: ModelKind): Model | null
  models(): Iterable<[name: string, model: Model]>
  /** Whether a plan includes a model; a plan that the catalog no longer has is the free one. */
  includes(plan: string, model: string): boolean
  /** A plan; the free one if the catalog no longer has it. */
  plan(plan: string): Plan
}

export type LiveCatalog = {
  /** null until control has vouched for one. A catalog once read stays in force while Redis is away. */
  current(): CatalogView | null
  /** Begins following. Resolves after the first attempt to read one. */
  start(): Promise<void>
  stop(): Promise<void>
}

/** Follows the catalog that control publishes: by polling its version, and at once when a notice arrives. */
export function followCatalog(redis: RedisLink, onError: (error: unknown) => void): LiveCatalog {
  let view: CatalogView | null = null
  let timer: NodeJS.Timeout | undefined
  let refreshing: Promise<void> | null = null
  let endHearing = (): void => undefined

  async function refresh(): Promise<void> {
    if (!redis.isReady()) return
    const holder = redis.nodeOf(catalogName)
    const stored = await readCatalogVersion(redis)
    // Only what is known to be current in this Redis process counts: after a restart from an old dump it may not be.
    if (stored === null || stored.run !== holder.run() || stored.version === view?.version) return
    const catalog = await readCatalog(redis)
    if (catalog?.run === holder.run()) view = viewOf(catalog.version, readCatalogJson(catalog.json))
  }

  function refreshOnce(): Promise<void> {
    refreshing ??= refresh()
      .catch((error: unknown) => {
        // That Redis is away is told by its connection.
        if (!(error instanceof RedisAwayError)) onError(error)
      })
      .finally(() => {
        refreshing = null
      })
    return refreshing
  }

  return {
    current: () => view,
    async start() {
      const hear = (notice: string): void => {
        // Notices of keys and accounts come here too: admission judges those by their versions, and needs none.
        if (notice === catalogNotice) void refreshOnce()
      }
      endHearing = redis.subscribe(changesChannel, hear, onError)
      // Redis may be away for long: the gateway starts without it, and says that it is not ready.
      void redis.ready().then(refreshOnce)
      await refreshOnce()
      timer = setInterval(refreshOnce, pollMs)
    },
    async stop() {
      clearInterval(timer)
      endHearing()
      await refreshing
    }
  }
}

export function viewOf(version: number, catalog: Catalog): CatalogView {
  const models = new Map(Object.entries(catalog.models))
  const plans = new Map(Object.entries(catalog.plans).map(([id, plan]) => [id, new Set(plan.models)]))
  const free = plans.get(freePlan) ?? new Set<string>()
  return {
    version,
    model(name, kind) {
      const model = models.get(name)
      return model?.kind === kind ? model : null
    },
    models: () => models,
    plan: (plan) => catalog.plans[plan] ?? catalog.plans[freePlan]!,
    includes: (plan, model) => (plans.get(plan) ?? free).has(model)
  }
}
