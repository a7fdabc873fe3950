import type { Model } from '@tollgate/contracts/catalog/catalog.ts'
import { ServiceError } from '@tollgate/contracts/errors/service-error.ts'
import { ModelEntry, ModelList } from '@tollgate/contracts/http/models.ts'
import { judgeKey } from '@tollgate/contracts/keys/judge-key.ts'
import type { RedisLink } from '@tollgate/state/link/redis-link.ts'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { type Static, Type } from 'typebox'
import { confirmKey } from '../admission/admit-request.ts'
import { mayUseModel } from '../admission/judge.ts'
import type { UseLog } from '../admission/use-log.ts'
import type { LiveCatalog } from '../catalog/live-catalog.ts'
import { type Api, apiPaths } from '../upstreams/apis.ts'
import type { LiveUpstreams } from '../upstreams/live-upstreams.ts'
import type { Offer } from '../upstreams/offers.ts'

/** What `/v1/models` needs. */
export interface ModelsDependencies {
  readonly redis: RedisLink
  readonly catalog: LiveCatalog
  readonly upstreams: Pick<LiveUpstreams, 'current'>
  readonly useLog: Pick<UseLog, 'used'>
}

const ModelParams = Type.Object({ '*': Type.String() })

/** `GET /v1/models` and `GET /v1/models/:id`: only the models that the requesting key may use. */
export function models(app: FastifyInstance, { redis, catalog, upstreams, useLog }: ModelsDependencies): void {
  async function allowedModels(request: FastifyRequest): Promise<ModelEntry[]> {
    const view = catalog.current()
    if (view === null) throw new ServiceError('state_unavailable')
    const known = request.knownKey!
    await confirmKey(redis, known, (records) => judgeKey(records, known.digest))
    useLog.used(known.pointer.key)
    const records = { key: known.key?.record ?? null, account: known.account?.record ?? null }
    return [...view.models()]
      .filter(([name]) => mayUseModel(records, view, name))
      .map(([name, model]) => toEntry(name, model, upstreams.current.offers.of(model)))
  }

  app.get('/v1/models', { schema: { response: { 200: ModelList } } }, async (request, reply) => {
    reply.header('x-request-id', request.id)
    return { object: 'list', data: await allowedModels(request) }
  })

  // A wildcard, since model names may contain slashes.
  app.get<{ Params: Static<typeof ModelParams> }>(
    '/v1/models/*',
    { schema: { params: ModelParams, response: { 200: ModelEntry } } },
    async (request, reply) => {
      reply.header('x-request-id', request.id)
      const model = (await allowedModels(request)).find(({ id }) => id === request.params['*'])
      if (model === undefined) throw new ServiceError('model_not_allowed')
      return model
    }
  )
}

function toEntry(id: string, { created, ownedBy }: Model, offers: ReadonlyMap<Api, Offer>): ModelEntry {
  return { id, object: 'model', created, owned_by: ownedBy, endpoints: [...offers.keys()].map((api) => apiPaths[api]) }
}
