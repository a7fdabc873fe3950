import { modelKinds } from '@tollgate/contracts/catalog/apis.ts'
import { ServiceError } from '@tollgate/contracts/errors/service-error.ts'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { admitRequest } from '../admission/admit-request.ts'
import { presentedSecret } from '../authenticate/plugin.ts'
import { loadedCatalog } from '../catalog/live-catalog.ts'
import { readsApiKey } from '../http/error-format.ts'
import { answerRepeat } from '../idempotency/answer-repeat.ts'
import type { Claim } from '../idempotency/claim.ts'
import type { Idempotency } from '../idempotency/idempotency.ts'
import { repeatableRequest } from '../idempotency/repeatable-request.ts'
import type { Api } from './api.ts'
import type { InferenceDependencies } from './dependencies.ts'
import { type CommonMembers, InferenceRequest } from './inference-request.ts'
import { type ReadRequest, RequestReader } from './read-request.ts'
import type { RequestResources } from './request-resources.ts'
import { startRelay } from './start-relay.ts'

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
    const fields = upstreamFields?.(request.headers) ?? noFields
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

  /** @param refused that of the model that the client asked for, if another one shall serve the request */
  #admit(request: FastifyRequest, reply: FastifyReply, read: ReadRequest, refused: Refused | null = null): void {
    const { admission, catalog, isDraining } = this.#dependencies
    const { resources } = read
    // The gateway may have begun to stop while the body arrived.
    if (isDraining()) throw new ServiceError('draining')
    const view = loadedCatalog(catalog)
    const call = new InferenceRequest(request, read, this.#endpoint, this.#dependencies, view, refused?.instead ?? null)
    if (refused === null) resources.useUpstreams(call.upstreams.requests)
    admitRequest(admission, call).then(
      (admitted) => {
        try {
          startRelay(this.#endpoint, this.#dependencies, request, reply, call.toRelay(admitted, resources))
        } catch (error) {
          this.#fail(request, reply, error, resources)
        }
      },
      (error) => {
        if (refused !== null) {
          this.#refuseAsked(request, reply, read, refused)
          return
        }
        const instead = modelInstead(call, error)
        if (instead === null) this.#reader.refuse(request, reply, call.refusalOf(error), resources)
        else this.#admitInstead(request, reply, read, { asked: call.name, instead, error })
      }
    )
  }

  /** Admits a request to another model than the refused one. If that fails too, the first refusal is answered. */
  #admitInstead(request: FastifyRequest, reply: FastifyReply, read: ReadRequest, refused: Refused): void {
    try {
      this.#admit(request, reply, read, refused)
    } catch {
      this.#refuseAsked(request, reply, read, refused)
    }
  }

  #refuseAsked(request: FastifyRequest, reply: FastifyReply, read: ReadRequest, { asked, error }: Refused): void {
    request.modelLabel = asked
    request.allowedModel = asked
    this.#reader.refuse(request, reply, error, read.resources)
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
}

/** The refusal of a model by a budget, and the id of the one that shall serve the request instead. */
interface Refused {
  readonly asked: string
  readonly instead: string
  readonly error: unknown
}

/** Budgets that may have room for another model. */
const exhaustedCodes: readonly string[] = ['budget_exceeded', 'key_budget_exceeded', 'monthly_budget_exceeded']

/** The key's model for requests that a budget refuses. @returns null if the key has none, or after another error */
function modelInstead({ key, name }: InferenceRequest, error: unknown): string | null {
  const instead = key.keyRecord?.record.onExhausted
  if (instead === undefined || instead === name) return null
  return error instanceof ServiceError && exhaustedCodes.includes(error.code) ? instead : null
}

const noFields: readonly string[] = []
