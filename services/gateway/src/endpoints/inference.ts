import type { IncomingHttpHeaders } from 'node:http'
import type { Model } from '@tollgate/contracts/catalog/catalog.ts'
import { ServiceError } from '@tollgate/contracts/errors/service-error.ts'
import { standardOnly, standardTier } from '@tollgate/contracts/prices/model-prices.ts'
import { otherLabel } from '@tollgate/service/metrics/series-family.ts'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { admitRequest } from '../admission/admit-request.ts'
import { refuseUnpriced } from '../admission/unpriced-members.ts'
import type { CatalogView } from '../catalog/live-catalog.ts'
import type { GrantedOutput } from '../relay/forwarded-body.ts'
import type { PromptKinds } from '../settlement/prompt-kinds.ts'
import type { FoundInput } from '../stored/find-input.ts'
import { pinnedRoute } from '../stored/pinned-route.ts'
import { refuseOtherCounts } from '../stored/same-counts.ts'
import { operationNames } from '../telemetry/gen-ai-metrics.ts'
import type { CountablePrompt } from '../tokens/count-prompt.ts'
import type { TokenBound } from '../tokens/token-bound.ts'
import { refuseUnknown } from '../upstreams/accepted-members.ts'
import type { UpstreamSet } from '../upstreams/live-upstreams.ts'
import { wrongEndpoint } from '../upstreams/offers.ts'
import type { InferenceDependencies, InferenceEndpoint } from './inference-endpoint.ts'
import { type ReadRequest, RequestReader } from './read-request.ts'
import type { RequestBody } from './request-body.ts'
import { startRelay } from './start-relay.ts'

/** The members that all inference endpoints share; their schemas ensure it. */
type CommonMembers = Partial<GrantedOutput['asked']> & {
  model: string
  stream?: boolean | null
  stream_options?: Record<string, unknown> | null
}

/** Adds an endpoint that calls a model. It reads, admits and relays each request, and settles its usage. */
export function inferenceEndpoint(
  app: FastifyInstance,
  endpoint: InferenceEndpoint,
  dependencies: InferenceDependencies
): void {
  const handler = new InferenceHandler(endpoint, dependencies)
  const config = { isMetered: true, operation: operationNames[endpoint.kind], errors: endpoint.format.errors }
  app.post(endpoint.route, { config }, (request, reply) => handler.handle(request, reply))
}

/** Admits the requests of one endpoint, and starts their relay. */
class InferenceHandler {
  readonly #endpoint: InferenceEndpoint
  readonly #dependencies: InferenceDependencies
  readonly #reader: RequestReader

  constructor(endpoint: InferenceEndpoint, dependencies: InferenceDependencies) {
    this.#endpoint = endpoint
    this.#dependencies = dependencies
    this.#reader = new RequestReader(endpoint, dependencies, (request, reply, read) =>
      this.#admit(request, reply, read)
    )
  }

  handle(request: FastifyRequest, reply: FastifyReply): void {
    this.#reader.read(request, reply)
  }

  #admit(request: FastifyRequest, reply: FastifyReply, { body, heldBytes, found }: ReadRequest): void {
    const { admission, catalog, estimator, calls, isDraining } = this.#dependencies
    // The gateway may have begun to stop while the body arrived.
    if (isDraining()) throw new ServiceError('draining')
    const view = catalog.current()
    if (view === null) throw new ServiceError('state_unavailable')
    const { api, kind, streams, format, asksForUsage, outputMember, upstreamFields, isFree = false } = this.#endpoint
    const { headers } = request
    const { bytes, spans } = body
    const members = body.members as Record<string, unknown>
    const common = members as CommonMembers
    const { model: name, stream, stream_options: streamOptions = null } = common
    const { max_tokens, max_completion_tokens, max_output_tokens } = common
    // The closures below must not keep all members in memory for as long as the answer takes.
    const asked = { max_tokens, max_completion_tokens, max_output_tokens }
    const namesNoTier = (api === 'chat' || api === 'responses') && members.service_tier !== standardTier
    const model = view.model(name, kind)
    request.modelLabel = model === null ? otherLabel : name
    const chainTokens = this.#endpoint.isStored?.(members) === true ? found.tokens : null
    const fields = upstreamFields === undefined ? noFields : upstreamFields(headers)
    const prompt = this.#countablePrompt(model, body, found.tokens)
    request.trace?.admitting(model === null ? null : name, stream === true && streams)
    let bound: TokenBound | null = null
    // The request keeps these upstreams, even if others are loaded meanwhile.
    const upstreams = this.#dependencies.upstreams.current
    calls.entered()
    upstreams.requests.entered()

    admitRequest(admission, {
      id: request.id,
      known: request.knownKey!,
      catalog: view,
      name,
      kind,
      model: isFree && model !== null ? { ...model, prices: noPrices } : model,
      bound: () => {
        bound = this.#boundOf(body, headers, name, view, upstreams, found)
        return bound
      },
      count: () => (prompt === null ? null : estimator.countPrompt(prompt))
    }).then(
      (admitted) => {
        const { outputParameter } = model!
        const prices = isFree ? noPrices : model!.prices
        const route = pinnedRoute(upstreams.offers.of(model!).get(api)!.route, found)
        const parameter = outputMember ?? outputParameter
        const output = kind === 'embedding' || isFree ? null : { parameter, tokens: admitted.hold.grantedTokens, asked }
        const isStream = stream === true && streams
        const { answers, hidesAnswers, tiers = standardOnly } = bound!
        const hidesOutput = model!.hidesOutput === true || hidesAnswers === true
        startRelay(this.#endpoint, this.#dependencies, request, reply, {
          metered: { admitted, prices, tiers, prompt, promptKinds: promptKindsOf(bound!), answers },
          forwarded: {
            body: bytes,
            spans,
            ids: found.ids,
            model: name,
            isStream,
            asksForUsage,
            sendsStandardTier: namesNoTier && tiers.length === 1,
            streamOptions,
            output,
            route,
            format,
            upstreamFields: fields,
            hidesOutput
          },
          ...{ chainTokens, upstreams, heldBytes }
        })
      },
      (error) => {
        calls.left()
        upstreams.requests.left()
        this.#reader.refuse(request, reply, error, heldBytes)
      }
    )
  }

  /** @throws ServiceError model_unavailable, wrong_endpoint, unpriced_parameter, or invalid_request for a member that the model does not accept */
  #boundOf(
    body: RequestBody<unknown>,
    headers: IncomingHttpHeaders,
    name: string,
    view: CatalogView,
    { byName, offers }: Pick<UpstreamSet, 'byName' | 'offers'>,
    found: FoundInput
  ): TokenBound {
    const model = view.model(name, this.#endpoint.kind)!
    const offered = offers.of(model)
    const offer = offered.get(this.#endpoint.api)
    if (offer === undefined) {
      if (model.route.some(({ upstream }) => byName.has(upstream))) throw wrongEndpoint(name, offered)
      this.#dependencies.onUnavailable(name, model)
      throw new ServiceError('model_unavailable')
    }
    this.#endpoint.refuseFields?.(headers, offer)
    refuseUnpriced(body, model)
    const bound = this.#endpoint.tokenBound(body, model)
    // Last, so that a member without a price is refused as unpriced.
    refuseUnknown(body.spans, offer.members)
    pinnedRoute(offer.route, found)
    refuseOtherCounts(found, name, (one) => view.model(one, this.#endpoint.kind))
    if (found.tokens === 0) return bound
    // Earlier answers may have images.
    const { promptTokens, imageTokens = 0 } = bound
    return { ...bound, promptTokens: promptTokens + found.tokens, imageTokens: imageTokens + found.tokens }
  }

  /** @returns null if the model has no tokenizer, or does not exist */
  #countablePrompt(
    model: Model | null,
    { bytes, spans }: RequestBody<unknown>,
    storedTokens: number
  ): CountablePrompt | null {
    const { api, promptMember } = this.#endpoint
    if (model === null || model.tokenizer === null || promptMember === null) return null
    const span = spans.get(promptMember)
    const promptBytes = span === undefined ? 0 : span.end - span.start
    return { body: bytes, api, media: { images: model.images, audio: model.audio }, promptBytes, storedTokens }
  }
}

/** Only these parts of a bound live as long as the answer. */
const promptKindsOf = ({
  audioTokens = 0,
  imageTokens = 0,
  cacheWrites,
  asksForLongWrites = false
}: TokenBound): PromptKinds => ({
  audioTokens,
  imageTokens,
  mayWriteToCache: cacheWrites !== 'none',
  asksForLongWrites
})

const noFields: readonly string[] = []
const noPrices: Model['prices'] = { inputPicos: 0, cachedInputPicos: 0, outputPicos: 0 }
