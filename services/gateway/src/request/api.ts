import type { IncomingHttpHeaders } from 'node:http'
import type { ApiName, ModelKind } from '@tollgate/contracts/catalog/apis.ts'
import type { Model } from '@tollgate/contracts/catalog/catalog.ts'
import type { TObject } from 'typebox'
import type { PricedApi } from '../admission/unpriced-members.ts'
import type { AnswerFormat } from '../relay/answer-format.ts'
import type { OutputMember } from '../relay/forwarded-body.ts'
import type { NamedInput } from '../stored/find-input.ts'
import type { PromptForm } from '../tokens/count-prompt.ts'
import type { BoundedBody } from '../tokens/prompt-bound.ts'
import type { TokenBound } from '../tokens/token-bound.ts'
import type { Offer } from '../upstreams/offers.ts'

/**
 * An API that calls models: what its requests may have and cost, and how its answers are read. The steps of a request
 * know nothing else of it. `apis/index.ts` lists all.
 */
export interface Api extends PricedApi {
  readonly name: ApiName
  /** Its path at the gateway. */
  readonly route: string
  /** Its path at the upstream, below the base URL. */
  readonly path: string
  readonly kind: ModelKind
  /** The members that the gateway reads: `model` and, where the endpoint streams, `stream` and `stream_options`. */
  readonly body: TObject
  /** The members that a request may have. An upstream may accept others, too. */
  readonly members: ReadonlySet<string>
  /** Whether requests have only {@link members}, whatever the upstreams accept. */
  readonly hasNoOtherMembers: boolean
  /** Members of other APIs, and what to send instead: the name of a member, or words. */
  readonly membersInstead: Readonly<Record<string, string>>
  readonly streams: boolean
  /**
   * Whether requests may have `usage`, which only the gateway reads, unless the endpoint has {@link hasNoOtherMembers};
   * and whether the `usage` of answers may have the cost. Absent: no.
   */
  readonly showsUsageCost?: true
  /** Whether `service_tier` names the tier at the upstream: without it, the upstream's project decides. */
  readonly sendsTier: boolean
  /** The member that holds the prompt, and its form; null if the prompt is only bounded, and never counted. */
  readonly prompt: { readonly member: string; readonly form: PromptForm } | null
  readonly format: AnswerFormat
  /** Whether the usage of a stream must be asked for, by `stream_options`. */
  readonly asksForUsage: boolean
  /**
   * The member that limits the output; null if only the model does. `by model`: the catalog names it for each model.
   */
  readonly outputMember: OutputMember | null | 'by model'
  /**
   * The headers of a request that its upstream gets: names and values, alternating, without line breaks. Absent: none.
   *
   * @throws ServiceError invalid_request or unpriced_parameter
   */
  readonly upstreamFields?: (headers: IncomingHttpHeaders) => readonly string[]
  /**
   * Finds the ids in a request that refer to earlier answers; null if it has none. Absent: the endpoint stores nothing.
   */
  readonly namedInput?: (body: BoundedBody) => NamedInput | null
  /** Whether the provider stores the answer to a request. Absent: never. */
  readonly isStored?: (members: unknown) => boolean
  /**
   * Refuses headers that the model's upstreams do not accept.
   *
   * @throws ServiceError invalid_request
   */
  readonly refuseFields?: (headers: IncomingHttpHeaders, offer: Offer) => void
  /**
   * The maximum tokens of a request, with its prompt measured in bytes. The gateway reserves their cost.
   *
   * @throws ServiceError unpriced_parameter
   */
  readonly tokenBound: (body: BoundedBody, model: Model) => TokenBound
}

/** An endpoint of an API at which a provider counts the tokens of a prompt. Counting costs nothing. */
export interface CountingApi
  extends Pick<
    Api,
    | 'name'
    | 'route'
    | 'path'
    | 'body'
    | 'format'
    | 'members'
    | 'hasNoOtherMembers'
    | 'showsUsageCost'
    | 'membersInstead'
    | 'speaks'
    | 'standardTierName'
    | 'namedInput'
    | 'upstreamFields'
    | 'refuseFields'
  > {
  /**
   * Refuses prompts that a call of the model may not have either.
   *
   * @throws ServiceError unpriced_parameter
   */
  readonly refusePrompt?: (body: BoundedBody, model: Model) => void
}
