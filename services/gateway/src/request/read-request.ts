import type { IncomingMessage } from 'node:http'
import { judgeKey } from '@tollgate/contracts/keys/judge-key.ts'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { TObject } from 'typebox'
import { bodyMemoryOf } from '../admission/body-allowance.ts'
import { confirmKey, refreshRecords } from '../admission/confirm-key.ts'
import { assertFewRefusals, countRefusal, mayBeRefused } from '../admission/count-refusals.ts'
import type { KnownKey } from '../authenticate/known-key.ts'
import type { CatalogView } from '../catalog/live-catalog.ts'
import { findInput, noStoredInput, type StoredInput } from '../stored/find-input.ts'
import type { Api } from './api.ts'
import type { InferenceDependencies } from './dependencies.ts'
import { declaredLength, readBody } from './read-body.ts'
import { BodyReading, type PreparedSchema, prepareSchema, type RequestBody } from './request-body.ts'
import { RequestResources } from './request-resources.ts'

/** A request whose body has been read and checked. */
export interface ReadRequest {
  readonly body: RequestBody<unknown>
  /** Whoever gets them releases them when the request is over. */
  readonly resources: RequestResources
  /** What the ids in the body refer to. */
  readonly input: StoredInput
}

type Dependencies = Pick<
  InferenceDependencies,
  'admission' | 'catalog' | 'bodies' | 'slices' | 'calls' | 'storedResponses'
>
/** @throws ServiceError to refuse the request */
type Next = (request: FastifyRequest, reply: FastifyReply, read: ReadRequest) => void

/** Reads the bodies of one endpoint's requests, and refuses those that are not valid. */
export class RequestReader {
  readonly #dependencies: Dependencies
  readonly #namedInput: Api['namedInput']
  readonly #schema: PreparedSchema<TObject>
  readonly #next: Next

  /** @param next continues with a request */
  constructor({ body, namedInput }: Pick<Api, 'body' | 'namedInput'>, dependencies: Dependencies, next: Next) {
    this.#dependencies = dependencies
    this.#namedInput = namedInput
    this.#schema = prepareSchema(body)
    this.#next = next
  }

  read(request: FastifyRequest, reply: FastifyReply): void {
    const key = request.knownKey!
    try {
      assertFewRefusals(key)
    } catch (error) {
      reply.send(error)
      return
    }
    if (key.keyRecord !== null) {
      this.#judge(request, reply)
      return
    }
    // Only the record says from which addresses the key works. Its admission then need not read it.
    refreshRecords(this.#dependencies.admission.redis, key).then(
      () => this.#judge(request, reply),
      (error) => reply.send(error)
    )
  }

  #judge(request: FastifyRequest, reply: FastifyReply): void {
    const { admission, catalog } = this.#dependencies
    const key = request.knownKey!
    if (!mayBeRefused(key, request) && !mayNeedOtherPlan(request.raw, key, catalog.current())) {
      this.#read(request, reply)
      return
    }
    // Refuse only on the current records.
    confirmKey(admission.redis, key, (records) => judgeKey(records, key.digest, request)).then(
      () => this.#read(request, reply),
      (error) => reply.send(error)
    )
  }

  #read(request: FastifyRequest, reply: FastifyReply): void {
    const { bodies, calls, catalog } = this.#dependencies
    const key = request.knownKey!
    const allowance = bodyMemoryOf(key, catalog.current())
    readBody(request.raw, reply.raw, bodies, key, allowance, (failure, bytes, heldBytes) => {
      const resources = new RequestResources(calls, bodies.memory, key, heldBytes)
      try {
        if (failure !== null) throw failure
        this.#parse(request, reply, bytes, resources)
      } catch (error) {
        this.refuse(request, reply, error, resources)
      }
    })
  }

  /** Answers a request that is refused, and releases what it holds. */
  refuse(request: FastifyRequest, reply: FastifyReply, error: unknown, resources: RequestResources): void {
    resources.release()
    countRefusal(request.knownKey!, error, this.#dependencies.catalog.current())
    reply.send(error)
  }

  /**
   * Reads a body again, after a wait without its members: they may take more memory than the body.
   *
   * @throws ServiceError
   */
  readAgain(request: FastifyRequest, reply: FastifyReply, bytes: Buffer, resources: RequestResources): void {
    this.#parse(request, reply, bytes, resources)
  }

  #parse(request: FastifyRequest, reply: FastifyReply, bytes: Buffer, resources: RequestResources): void {
    const reading = new BodyReading(bytes, this.#schema)
    if (reading.isShort) {
      while (!reading.step());
      this.#find(request, reply, reading.body, resources)
      return
    }
    this.#dependencies.slices.run(
      () => reading.step(),
      (failure) => {
        try {
          if (failure !== null) throw failure
          this.#find(request, reply, reading.body, resources)
        } catch (error) {
          this.refuse(request, reply, error, resources)
        }
      }
    )
  }

  /** Finds what the ids in a request refer to, and continues. Most requests have none. */
  #find(request: FastifyRequest, reply: FastifyReply, body: RequestBody<unknown>, resources: RequestResources): void {
    const named = this.#namedInput?.(body) ?? null
    if (named === null) {
      this.#next(request, reply, { body, resources, input: noStoredInput })
      return
    }
    const { storedResponses } = this.#dependencies
    const { pointer } = request.knownKey!
    findInput(named, (ids) => storedResponses.find(pointer, ids))
      .then((input) => this.#next(request, reply, { body, resources, input }))
      .catch((error) => this.refuse(request, reply, error, resources))
  }
}

/** Whether this process could refuse the bytes of a request only because the plan that it remembers is outdated. */
function mayNeedOtherPlan(request: IncomingMessage, key: KnownKey, catalog: CatalogView | null): boolean {
  const declared = declaredLength(request)
  if (declared < 0) return key.accountRecord === null
  return key.bodyBytes + declared > bodyMemoryOf(key, catalog)
}
