import { type ApiName, apis, kindOf } from '@tollgate/contracts/catalog/apis.ts'
import type { Model } from '@tollgate/contracts/catalog/catalog.ts'
import { featuresOf } from '@tollgate/contracts/catalog/features.ts'
import { chargedPrices } from '@tollgate/contracts/catalog/list-prices.ts'
import { ServiceError } from '@tollgate/contracts/errors/service-error.ts'
import { MessageModel, MessageModelList, ModelEntry, ModelList } from '@tollgate/contracts/http/models.ts'
import { judgeKey } from '@tollgate/contracts/keys/judge-key.ts'
import type { ModelPrices } from '@tollgate/contracts/prices/model-prices.ts'
import { pricingAt, upcomingPricing } from '@tollgate/contracts/prices/pricing.ts'
import { planOf, withoutEnded } from '@tollgate/contracts/records/budgets.ts'
import type { RedisLink } from '@tollgate/state/link/redis-link.ts'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { type Static, Type } from 'typebox'
import { confirmKey, recordsOf, refusalError } from '../../admission/confirm-key.ts'
import { mayUseModel, refuseModel } from '../../admission/judge.ts'
import type { UseLog } from '../../admission/use-log.ts'
import { type LiveCatalog, loadedCatalog } from '../../catalog/live-catalog.ts'
import type { CountRead } from '../../free-calls/read-rate.ts'
import { errorsOf, messagesErrors } from '../../http/error-format.ts'
import type { LiveUpstreams } from '../../upstreams/live-upstreams.ts'
import type { Offer } from '../../upstreams/offers.ts'

const defaultLimit = 20
const maxLimit = 1000

/** The parameters of a page of models. */
interface PageQuery {
  readonly limit?: unknown
  readonly before_id?: unknown
  readonly after_id?: unknown
}

/**
 * Describes a model as Anthropic's API does.
 *
 * @param id the model's id, or an alias
 * @param name the model's id
 */
function toMessageModel(id: string, name: string, { created, contextWindow, maxOutputTokens }: Model): MessageModel {
  return {
    type: 'model',
    id,
    display_name: name,
    created_at: new Date(created * 1000).toISOString(),
    max_input_tokens: contextWindow,
    max_tokens: maxOutputTokens,
    lifecycle: 'active',
    deprecated_at: null,
    retires_at: null,
    capabilities: null,
    line: null
  }
}

/**
 * Cuts a page from a list of models, as Anthropic's API does: the first models, those after one, or the last ones
 * before one.
 *
 * @throws ServiceError invalid_request
 */
function pageOfModels(models: readonly MessageModel[], query: PageQuery): MessageModelList {
  const limit = limitOf(query.limit)
  const [from, until] = [placeOf(models, query.after_id) + 1, placeOf(models, query.before_id)]
  const found = models.slice(from, until < 0 ? undefined : until)
  const data = until < 0 ? found.slice(0, limit) : found.slice(-limit)
  return {
    data,
    has_more: data.length < found.length,
    first_id: data[0]?.id ?? null,
    last_id: data.at(-1)?.id ?? null
  }
}

function limitOf(value: unknown): number {
  if (value === undefined) return defaultLimit
  const limit = typeof value === 'string' && /^\d{1,4}$/.test(value) ? Number(value) : 0
  if (limit >= 1 && limit <= maxLimit) return limit
  throw new ServiceError('invalid_request', { message: `limit: not valid. Send a number from 1 to ${maxLimit}.` })
}

/** @returns the index of the model; -1 if the query names none */
function placeOf(models: readonly MessageModel[], id: unknown): number {
  if (id === undefined) return -1
  const place = models.findIndex((model) => model.id === id)
  if (place >= 0) return place
  throw new ServiceError('invalid_request', {
    message: 'before_id or after_id: not a model of this list. Send an id from a page that you got.'
  })
}

/** What `/v1/models` needs. */
export interface ModelsDependencies {
  readonly redis: RedisLink
  readonly catalog: LiveCatalog
  readonly upstreams: Pick<LiveUpstreams, 'current'>
  readonly useLog: Pick<UseLog, 'used'>
  readonly countRead: CountRead
}

const ModelParams = Type.Object({ '*': Type.String() })

/**
 * `GET /v1/models` and `GET /v1/models/:id`: only the models that the requesting key may use and that an upstream
 * serves, each followed by its aliases. A request with `anthropic-version` gets the format of Anthropic's API, and only
 * the models that are offered there.
 */
export function models(
  app: FastifyInstance,
  { redis, catalog, upstreams, useLog, countRead }: ModelsDependencies
): void {
  async function allowedModels(request: FastifyRequest): Promise<AllowedModel[]> {
    const view = loadedCatalog(catalog)
    const known = request.knownKey!
    countRead(known)
    await confirmKey(redis, known, (records) => judgeKey(records, known.digest, request))
    useLog.used(known.pointer.key)
    const account = withoutEnded(known.accountRecord!.record, Date.now())
    const records = { key: known.keyRecord?.record ?? null, account }
    const priceGroup = view.priceGroup(account.override?.limits?.priceGroup, planOf(account))
    return [...view.models()]
      .filter(([name]) => mayUseModel(records, view, name))
      .map(([id, model]) => {
        const offers = upstreams.current.offers.of(model)
        return { id, aliasOf: null, model, prices: chargedPrices(model, priceGroup), offers }
      })
      .filter(({ offers }) => offers.size > 0)
      .flatMap((entry) => [entry, ...aliasesOf(entry)])
  }

  async function messageModels(request: FastifyRequest): Promise<MessageModel[]> {
    const allowed = await allowedModels(request)
    return allowed
      .filter(({ offers }) => offers.has('messages'))
      .map(({ id, aliasOf, model }) => toMessageModel(id, aliasOf ?? id, model))
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
      if (model === undefined) {
        throw refusalError(refuseModel(recordsOf(request.knownKey!), loadedCatalog(catalog), request.params['*']))
      }
      return model
    }
  )
}

interface AllowedModel {
  readonly id: string
  /** The id of the model, if this is an alias; otherwise null. */
  readonly aliasOf: string | null
  readonly model: Model
  /** What the account of the key pays. */
  readonly prices: ModelPrices
  readonly offers: ReadonlyMap<ApiName, Offer>
}

const Lists = Type.Union([ModelList, MessageModelList])
const Entries = Type.Union([ModelEntry, MessageModel])

const aliasesOf = (entry: AllowedModel): AllowedModel[] =>
  (entry.model.aliases ?? []).map((alias) => ({ ...entry, id: alias, aliasOf: entry.id }))

/** Describes a model as OpenAI's API does, with the members that OpenRouter adds: clients read its prices there. */
function toEntry({ id, aliasOf, model, prices, offers }: AllowedModel): ModelEntry {
  const { kind, created, ownedBy, about, knowledge, contextWindow, maxOutputTokens } = model
  const now = Date.now()
  const upcoming = upcomingPricing(prices, now)
  return {
    id,
    object: 'model',
    created,
    owned_by: ownedBy,
    ...(aliasOf !== null && { alias_of: aliasOf }),
    ...(about !== undefined && { description: about }),
    ...(knowledge !== undefined && { knowledge_cutoff: knowledge }),
    supported_features: featuresOf(model, offers.keys()),
    endpoints: [...offers.keys()].map((api) => apis[api].path),
    context_length: contextWindow,
    top_provider: {
      context_length: contextWindow,
      max_completion_tokens: kindOf(kind).hasOutput ? maxOutputTokens : null
    },
    pricing: pricingAt(prices, now),
    ...(upcoming.length > 0 && { upcoming_pricing: upcoming })
  }
}
