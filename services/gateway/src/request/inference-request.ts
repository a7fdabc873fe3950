import { type ModelKind, modelKinds } from '@tollgate/contracts/catalog/apis.ts'
import type { Model, Target } from '@tollgate/contracts/catalog/catalog.ts'
import { hasOwnBills, hasRatesOfAdmission } from '@tollgate/contracts/catalog/list-prices.ts'
import { addedTokens } from '@tollgate/contracts/catalog/prompt-rules.ts'
import type { Presenter } from '@tollgate/contracts/keys/judge-key.ts'
import { standardOnly, standardTier } from '@tollgate/contracts/prices/model-prices.ts'
import { otherLabel } from '@tollgate/service/metrics/fast-series.ts'
import type { FastifyRequest } from 'fastify'
import type { Admitted, CallRequest, CountingWay } from '../admission/admit-request.ts'
import { refuseUnpriced } from '../admission/unpriced-members.ts'
import type { KnownKey } from '../authenticate/known-key.ts'
import { type CatalogView, modelOfKind } from '../catalog/live-catalog.ts'
import type { ProviderCount } from '../free-calls/provider-counts.ts'
import type { GrantedOutput } from '../relay/forwarded-body.ts'
import type { PromptKinds } from '../settlement/price.ts'
import type { StoredInput } from '../stored/find-input.ts'
import { pinnedRoute, refuseOtherCounts } from '../stored/pinned-route.ts'
import type { CountablePrompt } from '../tokens/count-prompt.ts'
import { grantSearches } from '../tokens/hosted-searches.ts'
import { countText, type TokenBound } from '../tokens/token-bound.ts'
import type { UpstreamSet } from '../upstreams/live-upstreams.ts'
import type { Api } from './api.ts'
import type { InferenceDependencies } from './dependencies.ts'
import { findOffer, nameEndpoints } from './find-offer.ts'
import type { ReadRequest } from './read-request.ts'
import { refuseUnknown } from './refuse-unknown.ts'
import type { RequestBody } from './request-body.ts'
import type { AdmittedRequest } from './start-relay.ts'

/** The members that all inference endpoints share; their schemas ensure it. */
export type CommonMembers = Partial<GrantedOutput['limits']> & {
  model: string
  stream?: boolean | null
  stream_options?: Record<string, unknown> | null
  usage?: { include?: boolean | null } | null
}

/**
 * A request to a model: what its admission asks for, and what its relay gets. It has all members of the body, so it
 * must not live as long as the answer.
 */
export class InferenceRequest implements CallRequest {
  readonly id: string
  readonly key: KnownKey
  readonly catalog: CatalogView
  readonly name: string
  readonly kind: ModelKind
  readonly model: Model | null
  /** Those at its arrival. It keeps them, even if others are loaded meanwhile. */
  readonly upstreams: UpstreamSet
  readonly #request: FastifyRequest
  readonly #endpoint: Api
  readonly #dependencies: InferenceDependencies
  readonly #body: RequestBody<unknown>
  readonly #input: StoredInput
  readonly #isStream: boolean
  readonly #isInstead: boolean
  readonly #upstreamFields: readonly string[]
  readonly #prompt: CountablePrompt | null
  /** null until {@link bound} computes it. */
  #bound: TokenBound | null = null
  /** The provider's count that bounds the prompt; null if something else does. */
  #providerCount: ProviderCount | null = null

  /**
   * Begins the admission of a request: from here on its labels name its model.
   *
   * @param catalog the whole catalog in force
   * @param instead the id of the model that serves it, because a budget refused the one that the client asked for; else
   *   null
   * @throws ServiceError invalid_request or unpriced_parameter for a header
   */
  constructor(
    request: FastifyRequest,
    { body, input }: Pick<ReadRequest, 'body' | 'input'>,
    endpoint: Api,
    dependencies: InferenceDependencies,
    catalog: CatalogView,
    instead: string | null
  ) {
    const { model: askedModel, stream } = body.members as CommonMembers
    this.upstreams = dependencies.upstreams.current
    this.catalog = this.upstreams.offers.viewOf(catalog)
    this.#request = request
    this.#endpoint = endpoint
    this.#dependencies = dependencies
    this.#body = body
    this.#input = input
    this.#isStream = stream === true && endpoint.streams
    const entry = this.catalog.find(instead ?? askedModel)
    this.id = request.id
    this.key = request.knownKey!
    this.kind = endpoint.kind
    this.model = modelOfKind(entry, endpoint.kind)
    // From here on an alias counts as its model. Only the client and the receipt see the name that the client asked
    // for.
    this.name = entry?.id ?? instead ?? askedModel
    this.#isInstead = instead !== null
    request.modelLabel = this.model === null ? otherLabel : this.name
    request.askedModel = askedModel
    this.#upstreamFields = endpoint.upstreamFields?.(request.headers) ?? noFields
    this.#prompt = this.#countablePrompt()
    request.trace?.admitting(this.model === null ? null : this.name, this.#isStream)
  }

  get presenter(): Presenter {
    return this.#request
  }

  /**
   * @throws ServiceError model_unavailable, wrong_endpoint, unpriced_parameter, or invalid_request for a member that
   * the model does not accept
   */
  bound(model: Model): TokenBound {
    const { name, catalog } = this
    const endpoint = this.#endpoint
    const body = this.#body
    const input = this.#input
    this.#request.allowedModel = name
    const offer = findOffer(name, model, endpoint.name, this.upstreams, this.#dependencies)
    endpoint.refuseFields?.(this.#request.headers, offer)
    refuseUnpriced(body, model, endpoint)
    const bound = endpoint.tokenBound(body, model)
    // Last, so that a member without a price is refused as unpriced.
    refuseUnknown(body.spans, endpoint, offer)
    pinnedRoute(offer.route, input)
    refuseOtherCounts(input, name, (earlier) => catalog.model(earlier, endpoint.kind))
    const ownBound = countText(bound, model, this.#dependencies.promptSizes.bytesPerToken(name))
    this.#bound = grantSearches(input.tokens === 0 ? ownBound : withInput(ownBound, input.tokens), model)
    return this.#bound
  }

  count(way: CountingWay): Promise<number | null> | null {
    // Searches lengthen the prompt, so its own length decides nothing.
    if (this.#bound!.searches !== undefined) return null
    if (way === 'provider') return this.#countByProvider()
    return this.#prompt === null ? null : this.#dependencies.estimator.countPrompt(this.#prompt)
  }

  /** Asks the provider for the tokens of the prompt. Earlier answers that it names are not in its body. */
  async #countByProvider(): Promise<number | null> {
    const { key, catalog, upstreams } = this
    const { name: api } = this.#endpoint
    const { bytes, spans } = this.#body
    if (this.#input.tokens > 0 || this.#input.ids.length > 0) return null
    const { route } = upstreams.offers.of(this.model!).get(api)!
    const prompt = { api, hasMedia: this.#bound!.others !== undefined, bytes, spans }
    const { providerCounts } = this.#dependencies
    this.#providerCount = await providerCounts.count({ ...prompt, route, upstreams: upstreams.byName, key, catalog })
    return this.#providerCount === null ? null : this.#providerCount.tokens
  }

  /** @returns null if the model has no tokenizer, or does not exist */
  #countablePrompt(): CountablePrompt | null {
    const { model } = this
    const { name: api, prompt } = this.#endpoint
    if (model === null || model.tokenizer === null || prompt === null) return null
    const { bytes: body, spans } = this.#body
    const { member, form } = prompt
    const span = spans.get(member)
    const promptBytes = span === undefined ? 0 : span.end - span.start
    const media = { images: model.images, audio: model.audio }
    const { tokens: storedTokens } = this.#input
    return { body, member, form, media, template: addedTokens(model, api), promptBytes, storedTokens }
  }

  /** The error that refuses it: see {@link nameEndpoints}. */
  refusalOf(error: unknown): unknown {
    const { model } = this.#body.members as CommonMembers
    return nameEndpoints(error, model, this.catalog, this.upstreams)
  }

  /**
   * What its relay gets, once it is admitted.
   *
   * @throws ServiceError
   */
  toRelay(admitted: Admitted, resources: AdmittedRequest['resources']): AdmittedRequest {
    const { name, upstreams } = this
    const { name: api, kind, format, asksForUsage, outputMember, sendsTier, isStored } = this.#endpoint
    const { bytes, spans } = this.#body
    const members = this.#body.members as Record<string, unknown>
    const { model: askedModel, stream_options: streamOptions = null, usage } = members as CommonMembers
    const mayIncludeUsage = usage !== undefined && this.#endpoint.showsUsageCost === true
    const { max_tokens, max_completion_tokens, max_output_tokens } = members as CommonMembers
    // The relay must not keep all members in memory for as long as the answer takes.
    const limits = { max_tokens, max_completion_tokens, max_output_tokens }
    const { outputParameter, hidesOutput } = this.model!
    const bound = this.#bound!
    const { answers, hidesAnswers, tiers = standardOnly, searches } = bound
    const input = this.#input
    const providerCount = this.#providerCount
    const route = countedRoute(pinnedRoute(upstreams.offers.of(this.model!).get(api)!.route, input), providerCount)
    const parameter = outputMember === 'by model' ? outputParameter : outputMember
    const output = modelKinds[kind].hasOutput ? { parameter, tokens: admitted.hold.grantedTokens, limits } : null
    return {
      metered: {
        model: name,
        admitted,
        costs: hasOwnCosts(this.model!, admitted) ? this.model! : null,
        tiers,
        answers,
        prompt: searches === undefined ? this.#prompt : null,
        promptKinds: promptKindsOf(bound)
      },
      forwarded: {
        body: bytes,
        spans,
        ids: input.ids,
        model: askedModel,
        isStream: this.#isStream,
        asksForUsage,
        sendsStandardTier: sendsTier && members.service_tier !== standardTier && tiers.length === 1,
        streamOptions,
        includesUsage: mayIncludeUsage ? usage?.include === true : null,
        output,
        toolLimit: admitted.toolCalls?.edit ?? null,
        route,
        format,
        upstreamFields: this.#upstreamFields,
        hidesOutput: hidesOutput === true || hidesAnswers === true
      },
      isInstead: this.#isInstead,
      chainTokens: isStored?.(members) === true ? input.tokens : null,
      textBytes: measurableBytes(bound),
      providerCount,
      upstreams,
      resources
    }
  }
}

/** Whether providers may bill another amount than the account pays. */
const hasOwnCosts = (model: Model, { prices }: Pick<Admitted, 'prices'>): boolean =>
  hasRatesOfAdmission(prices, model) || hasOwnBills(model)

/** A bound whose prompt has earlier answers, too. They may have images. */
function withInput(bound: ReturnType<typeof countText<TokenBound>>, tokens: number): TokenBound {
  const { promptTokens, ratedTokens, others } = bound
  return {
    ...bound,
    promptTokens: promptTokens + tokens,
    ratedTokens: ratedTokens + tokens,
    others: { ...others, imageInputTokens: (others?.imageInputTokens ?? 0) + tokens }
  }
}

/** Only these parts of a bound live as long as the answer. */
const promptKindsOf = ({ others = {}, cacheWrites, asksForLongWrites = false }: TokenBound): PromptKinds => ({
  others,
  mayWriteToCache: cacheWrites !== 'none',
  asksForLongWrites
})

/**
 * A counted prompt goes only where it was counted: another upstream may count it differently, also with a model of the
 * same name.
 */
const countedRoute = (route: readonly Target[], count: ProviderCount | null): readonly Target[] =>
  count === null ? route : route.filter((target) => target === count.target)

/** Media, earlier answers and searches have tokens of their own. */
const measurableBytes = ({ textBytes = 0, others, searches }: TokenBound): number =>
  others === undefined && searches === undefined ? textBytes : 0

const noFields: readonly string[] = []
