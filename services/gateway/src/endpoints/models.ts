import { type Api, apiPaths } from '@tollgate/contracts/catalog/apis.ts'
import type { Model } from '@tollgate/contracts/catalog/catalog.ts'
import { ServiceError } from '@tollgate/contracts/errors/service-error.ts'
import { MessageModel, MessageModelList, ModelEntry, ModelList } from '@tollgate/contracts/http/models.ts'
import { judgeKey } from '@tollgate/contracts/keys/judge-key.ts'
import type { RedisLink } from '@tollgate/state/link/redis-link.ts'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { type Static, Type } from 'typebox'
import { confirmKey } from '../admission/admit-request.ts'
import { mayUseModel } from '../admission/judge.ts'
import type { UseLog } from '../admission/use-log.ts'
import { type LiveCatalog, loadedCatalog } from '../catalog/live-catalog.ts'
import { errorsOf, messagesErrors } from '../http/messages-errors.ts'
import type { LiveUpstreams } from '../upstreams/live-upstreams.ts'
import type { Offer } from '../upstreams/offers.ts'
import { pageOfModels, toMessageModel } from './anthropic-models.ts'

/** What `/v1/models` needs. */
export interface ModelsDependencies {
  readonly redis: RedisLink
  readonly catalog: LiveCatalog
  readonly upstreams: Pick<LiveUpstreams, 'current'>
  readonly useLog: Pick<UseLog, 'used'>
}

const ModelParams = Type.Object({ '*': Type.String() })

/**
 * `GET /v1/models` and `GET /v1/models/:id`: only the models that the requesting key may use and that an upstream serves. A request with `anthropic-version` gets the
 * format of Anthropic's API, and only the models that are offered there.
 */
export function models(app: FastifyInstance, { redis, catalog, upstreams, useLog }: ModelsDependencies): void {
  async function allowedModels(request: FastifyRequest): Promise<AllowedModel[]> {
    const view = loadedCatalog(catalog)
    const known = request.knownKey!
    await confirmKey(redis, known, (records) => judgeKey(records, known.digest))
    useLog.used(known.pointer.key)
    const records = { key: known.key?.record ?? null, account: known.account?.record ?? null }
    return [...view.models()]
      .filter(([name]) => mayUseModel(records, view, name))
      .map(([id, model]) => ({ id, model, offers: upstreams.current.offers.of(model) }))
      .filter(({ offers }) => offers.size > 0)
  }

  async function messageModels(request: FastifyRequest): Promise<MessageModel[]> {
    const allowed = await allowedModels(request)
    return allowed.filter(({ offers }) => offers.has('messages')).map(({ id, model }) => toMessageModel(id, model))
  }

  app.get('/v1/models', { schema: { response: { 200: Lists } } }, async (request, reply) => {
    const errors = errorsOf(request)
    for (const name of errors.requestIdHeaders) reply.header(name, request.id)
    if (errors === messagesErrors) return pageOfModels(await messageModels(request), request.query as object)
    return { object: 'list', data: (await allowedModels(request)).map(toEntry) }
  })

  // A wildcard, since model names may contain slashes.
  app.get<{ Params: Static<typeof ModelParams> }>(
    '/v1/models/*',
    { schema: { params: ModelParams, response: { 200: Entries } } },
    async (request, reply) => {
      const errors = errorsOf(request)
      for (const name of errors.requestIdHeaders) reply.header(name, request.id)
      const entries =
        errors === messagesErrors ? await messageModels(request) : (await allowedModels(request)).map(toEntry)
      const model = entries.find(({ id }) => id === request.params['*'])
      if (model === undefined) throw new ServiceError('model_not_allowed')
      return model
    }
  )
}

interface AllowedModel {
  readonly id: string
  readonly model: Model
  readonly offers: ReadonlyMap<Api, Offer>
}

const Lists = Type.Union([ModelList, MessageModelList])
const Entries = Type.Union([ModelEntry, MessageModel])

function toEntry({ id, model: { created, ownedBy }, offers }: AllowedModel): ModelEntry {
  return { id, object: 'model', created, owned_by: ownedBy, endpoints: [...offers.keys()].map((api) => apiPaths[api]) }
}
