import type { IncomingHttpHeaders } from 'node:http'
import { modelKinds } from '@tollgate/contracts/catalog/apis.ts'
import type { Model, Target } from '@tollgate/contracts/catalog/catalog.ts'
import { addedTokens } from '@tollgate/contracts/catalog/prompt-rules.ts'
import { ServiceError } from '@tollgate/contracts/errors/service-error.ts'
import { standardOnly, standardTier } from '@tollgate/contracts/prices/model-prices.ts'
import { otherLabel } from '@tollgate/service/metrics/fast-series.ts'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { admitRequest } from '../admission/admit-request.ts'
import { refuseUnpriced } from '../admission/unpriced-members.ts'
import { presentedSecret } from '../authenticate/plugin.ts'
import { type CatalogView, loadedCatalog, modelOfKind } from '../catalog/live-catalog.ts'
import type { ProviderCount } from '../free-calls/provider-counts.ts'
import { readsApiKey } from '../http/error-format.ts'
import { answerRepeat } from '../idempotency/answer-repeat.ts'
import type { Claim } from '../idempotency/claim.ts'
import type { Idempotency } from '../idempotency/idempotency.ts'
import { repeatableRequest } from '../idempotency/repeatable-request.ts'
import type { GrantedOutput } from '../relay/forwarded-body.ts'
import type { PromptKinds } from '../settlement/price.ts'
import type { FoundInput } from '../stored/find-input.ts'
import { pinnedRoute, refuseOtherCounts } from '../stored/pinned-route.ts'
import type { CountablePrompt } from '../tokens/count-prompt.ts'
import { grantSearches } from '../tokens/hosted-searches.ts'
import { countText, type TokenBound } from '../tokens/token-bound.ts'
import type { UpstreamSet } from '../upstreams/live-upstreams.ts'
import type { Api } from './api.ts'
import type { InferenceDependencies } from './dependencies.ts'
import { findOffer, nameEndpoints } from './find-offer.ts'
import { type ReadRequest, RequestReader } from './read-request.ts'
import { refuseUnknown } from './refuse-unknown.ts'
import type { RequestBody } from './request-body.ts'
import type { RequestResources } from './request-resources.ts'
import { startRelay } from './start-relay.ts'

/** The members that all inference endpoints share; their schemas ensure it. */
type CommonMembers = Partial<GrantedOutput['asked']> & {
  model: string
  stream?: boolean | null
  stream_options?: Record<string, unknown> | null
}

/** Adds an endpoint that calls a model. It reads, admits and relays each request, and settles its usage. */
export function inferenceEndpoint(app: FastifyInstance, endpoint: Api, dependencies: InferenceDependencies): void {
  const handler = new InferenceHandler(endpoint, dependencies)
  const config = { isMetered: true, operation: modelKinds[endpoint.kind].operation, errors: endpoint.format.errors }
  app.post(endpoint.route, { config }, (request, reply) => handler.handle(request, reply))
}

/** Admits the requests of one endpoint, and starts their relay. */
class InferenceHandler {
  readonly #endpoint: Api
  readonly #dependencies: InferenceDependencies
  readonly #reader: RequestReader

  constructor(endpoint: Api, dependencies: InferenceDependencies) {
    this.#endpoint = endpoint
    this.#dependencies = dependencies
    this.#reader = new RequestReader(endpoint, dependencies, (request, reply, read) =>
      this.#begin(request, reply, read)
    )
  }

  handle(request: FastifyRequest, reply: FastifyReply): void {
    this.#reader.read(request, reply)
  }

  /**
   * Most requests are admitted at once. One with an `Idempotency-Key` must be claimed first, because its client may
   * repeat it.
   */
  #begin(request: FastifyRequest, reply: FastifyReply, read: ReadRequest): void {
    const { idempotency } = this.#dependencies
    const { 'idempotency-key': key } = request.headers
    if (key === undefined || idempotency === null || read.resources.claim !== null) this.#admit(request, reply, read)
    else this.#claim(request, reply, read, idempotency, String(key))
  }

  #claim(request: FastifyRequest, reply: FastifyReply, read: ReadRequest, idempotency: Idempotency, key: string): void {
    const { route: endpoint, upstreamFields, kind, format } = this.#endpoint
    const { resources } = read
    const { bytes: body, members } = read.body
    const { model } = members as CommonMembers
    const fields = upstreamFields === undefined ? noFields : upstreamFields(request.headers)
    const repeatable = repeatableRequest(request.knownKey!, presentedSecret(request, readsApiKey)!, key, {
      endpoint,
      fields,
      body
    })
    const dependencies = { ...this.#dependencies, idempotency }
    const take = (claim: Claim): void => {
      idempotency.metrics.asked('run')
      resources.claim = claim
    }
    // The closures below must not keep all members in memory for as long as a wait takes.
    let parsed: ReadRequest | null = read
    idempotency
      .claim(repeatable)
      .then((claimed) => {
        if (claimed.outcome === 'claimed') {
          take(claimed.claim)
          this.#admit(request, reply, parsed!)
          return
        }
        parsed = null
        const repeated = { repeatable, model, kind, errors: format.errors }
        return answerRepeat(request, reply, claimed, repeated, dependencies).then((claim) => {
          if (claim === null) {
            resources.release()
            return
          }
          take(claim)
          this.#reader.readAgain(request, reply, body, resources)
        })
      })
      .catch((error) => this.#reader.refuse(request, reply, error, resources))
  }

  #admit(request: FastifyRequest, reply: FastifyReply, { body, resources, found }: ReadRequest): void {
    const { admission, catalog, estimator, isDraining } = this.#dependencies
    // The gateway may have begun to stop while the body arrived.
    if (isDraining()) throw new ServiceError('draining')
    const whole = loadedCatalog(catalog)
    // The request keeps these upstreams, even if others are loaded meanwhile.
    const upstreams = this.#dependencies.upstreams.current
    const view = upstreams.offers.viewOf(whole)
    const { name: api, kind, streams, format, asksForUsage, outputMember, upstreamFields, sendsTier } = this.#endpoint
    const { headers } = request
    const { bytes, spans } = body
    const members = body.members as Record<string, unknown>
    const common = members as CommonMembers
    const { model: askedModel, stream, stream_options: streamOptions = null } = common
    const { max_tokens, max_completion_tokens, max_output_tokens } = common
    // The closures below must not keep all members in memory for as long as the answer takes.
    const asked = { max_tokens, max_completion_tokens, max_output_tokens }
    const namesNoTier = sendsTier && members.service_tier !== standardTier
    const named = view.find(askedModel)
    const model = modelOfKind(named, kind)
    // From here on an alias counts as its model. Only the client and the receipt see the name that the client asked
    // for.
    const name = named?.id ?? askedModel
    request.modelLabel = model === null ? otherLabel : name
    request.askedModel = askedModel
    const chainTokens = this.#endpoint.isStored?.(members) === true ? found.tokens : null
    const fields = upstreamFields === undefined ? noFields : upstreamFields(headers)
    const prompt = this.#countablePrompt(model, body, found.tokens)
    request.trace?.admitting(model === null ? null : name, stream === true && streams)
    let bound: TokenBound | null = null
    let counted: ProviderCount | null = null
    resources.useUpstreams(upstreams.requests)

    admitRequest(admission, {
      id: request.id,
      known: request.knownKey!,
      catalog: view,
      name,
      kind,
      model,
      bound: () => {
        request.allowedModel = name
        bound = this.#boundOf(body, headers, name, view, upstreams, found)
        return bound
      },
      count: (way) => {
        // Searches lengthen the prompt, so its own length decides nothing.
        if (bound?.searches !== undefined) return null
        if (way === 'tokenizer') return prompt === null ? null : estimator.countPrompt(prompt)
        return this.#countByProvider(body, bound!, model!, view, upstreams, found, request).then((count) => {
          counted = count
          return count === null ? null : count.tokens
        })
      }
    }).then(
      (admitted) => {
        try {
          const { outputParameter, prices } = model!
          const route = countedRoute(pinnedRoute(upstreams.offers.of(model!).get(api)!.route, found), counted)
          const parameter = outputMember === 'by model' ? outputParameter : outputMember
          const output = modelKinds[kind].hasOutput ? { parameter, tokens: admitted.hold.grantedTokens, asked } : null
          const isStream = stream === true && streams
          const { answers, hidesAnswers, tiers = standardOnly, searches } = bound!
          const hidesOutput = model!.hidesOutput === true || hidesAnswers === true
          startRelay(this.#endpoint, this.#dependencies, request, reply, {
            metered: {
              model: name,
              admitted,
              prices,
              tiers,
              answers,
              prompt: searches === undefined ? prompt : null,
              promptKinds: promptKindsOf(bound!)
            },
            forwarded: {
              body: bytes,
              spans,
              ids: found.ids,
              model: askedModel,
              isStream,
              asksForUsage,
              sendsStandardTier: namesNoTier && tiers.length === 1,
              streamOptions,
              output,
              toolLimit: admitted.toolCalls?.edit ?? null,
              route,
              format,
              upstreamFields: fields,
              hidesOutput
            },
            chainTokens,
            textBytes: measurableBytes(bound!),
            counted,
            upstreams,
            resources
          })
        } catch (error) {
          this.#fail(request, reply, error, resources)
        }
      },
      (error) => this.#reader.refuse(request, reply, nameEndpoints(error, askedModel, view, upstreams), resources)
    )
  }

  /** Ends an admitted request after an error of the gateway itself. */
  #fail(request: FastifyRequest, reply: FastifyReply, error: unknown, resources: RequestResources): void {
    if (!reply.sent) {
      this.#dependencies.admission.cancel(request.knownKey!.prepared, request.id)
      this.#reader.refuse(request, reply, error, resources)
      return
    }
    request.log.error({ err: error, reqId: request.id }, 'a request was given up')
    // If its relay has begun, it sees this end, and settles what was served.
    reply.raw.destroy()
    resources.release()
  }

  /**
   * @throws ServiceError model_unavailable, wrong_endpoint, unpriced_parameter, or invalid_request for a member that
   * the model does not accept
   */
  #boundOf(
    body: RequestBody<unknown>,
    headers: IncomingHttpHeaders,
    name: string,
    view: CatalogView,
    upstreams: Pick<UpstreamSet, 'byName' | 'offers'>,
    found: FoundInput
  ): TokenBound {
    const model = view.model(name, this.#endpoint.kind)!
    const offer = findOffer(name, model, this.#endpoint.name, upstreams, this.#dependencies)
    this.#endpoint.refuseFields?.(headers, offer)
    refuseUnpriced(body, model, this.#endpoint)
    const bound = this.#endpoint.tokenBound(body, model)
    // Last, so that a member without a price is refused as unpriced.
    refuseUnknown(body.spans, this.#endpoint, offer)
    pinnedRoute(offer.route, found)
    refuseOtherCounts(found, name, (one) => view.model(one, this.#endpoint.kind))
    const sent = countText(bound, model, this.#dependencies.promptSizes.bytesPerToken(name))
    if (found.tokens === 0) return grantSearches(sent, model)
    const { promptTokens, ratedTokens, others } = sent
    const whole = {
      ...sent,
      promptTokens: promptTokens + found.tokens,
      ratedTokens: ratedTokens + found.tokens,
      // Earlier answers may have images.
      others: { ...others, imageInputTokens: (others?.imageInputTokens ?? 0) + found.tokens }
    }
    return grantSearches(whole, model)
  }

  /** Asks the provider for the tokens of a prompt. Earlier answers that it names are not in its body. */
  async #countByProvider(
    { bytes, spans }: RequestBody<unknown>,
    { others }: TokenBound,
    model: Model,
    catalog: CatalogView,
    { byName, offers }: Pick<UpstreamSet, 'byName' | 'offers'>,
    found: FoundInput,
    { knownKey }: FastifyRequest
  ): Promise<ProviderCount | null> {
    const { name: api } = this.#endpoint
    if (found.tokens > 0 || found.ids.length > 0) return null
    const { route } = offers.of(model).get(api)!
    const counted = { api, hasMedia: others !== undefined, bytes, spans, route, upstreams: byName }
    return this.#dependencies.providerCounts.count({ ...counted, known: knownKey!, catalog })
  }

  /** @returns null if the model has no tokenizer, or does not exist */
  #countablePrompt(
    model: Model | null,
    { bytes, spans }: RequestBody<unknown>,
    storedTokens: number
  ): CountablePrompt | null {
    const { name: api, prompt } = this.#endpoint
    if (model === null || model.tokenizer === null || prompt === null) return null
    const { member, form } = prompt
    const span = spans.get(member)
    const promptBytes = span === undefined ? 0 : span.end - span.start
    const media = { images: model.images, audio: model.audio }
    return { body: bytes, member, form, media, template: addedTokens(model, api), promptBytes, storedTokens }
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
const countedRoute = (route: readonly Target[], counted: ProviderCount | null): readonly Target[] =>
  counted === null ? route : route.filter((target) => target === counted.target)

/** Media, earlier answers and searches have tokens of their own. */
const measurableBytes = ({ textBytes = 0, others, searches }: TokenBound): number =>
  others === undefined && searches === undefined ? textBytes : 0

const noFields: readonly string[] = []
