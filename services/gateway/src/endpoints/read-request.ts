import { judgeKey } from '@tollgate/contracts/keys/judge-key.ts'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { TObject } from 'typebox'
import { confirmKey } from '../admission/admit-request.ts'
import { bodyMemoryOf } from '../admission/body-allowance.ts'
import { assertFewRefusals, countRefusal } from '../admission/count-refusals.ts'
import { mayBeRefused } from '../admission/may-be-refused.ts'
import { type FoundInput, findInput, nothingFound } from '../stored/find-input.ts'
import type { InferenceDependencies, InferenceEndpoint } from './inference-endpoint.ts'
import { mayNeedOtherPlan } from './may-need-other-plan.ts'
import { readBody } from './read-body.ts'
import { BodyReading, type PreparedSchema, prepareSchema, type RequestBody } from './request-body.ts'

/** A request whose body has been read and checked. */
export interface ReadRequest {
  readonly body: RequestBody<unknown>
  /** Body memory to release when the request is over. */
  readonly heldBytes: number
  /** What the ids in the body refer to. */
  readonly found: FoundInput
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
  readonly #namedInput: InferenceEndpoint['namedInput']
  readonly #schema: PreparedSchema<TObject>
  readonly #next: Next

  /** @param next continues with a request */
  constructor(
    { body, namedInput }: Pick<InferenceEndpoint, 'body' | 'namedInput'>,
    dependencies: Dependencies,
    next: Next
  ) {
    this.#dependencies = dependencies
    this.#namedInput = namedInput
    this.#schema = prepareSchema(body)
    this.#next = next
  }

  read(request: FastifyRequest, reply: FastifyReply): void {
    const { admission, catalog } = this.#dependencies
    const known = request.knownKey!
    try {
      assertFewRefusals(known)
    } catch (error) {
      reply.send(error)
      return
    }
    if (!mayBeRefused(known) && !mayNeedOtherPlan(request.raw, known, catalog.current())) {
      this.#read(request, reply)
      return
    }
    // Refuse only on the current records.
    confirmKey(admission.redis, known, (records) => judgeKey(records, known.digest)).then(
      () => this.#read(request, reply),
      (error) => reply.send(error)
    )
  }

  #read(request: FastifyRequest, reply: FastifyReply): void {
    const { bodies, catalog } = this.#dependencies
    const known = request.knownKey!
    const allowance = bodyMemoryOf(known, catalog.current())
    readBody(request.raw, reply.raw, bodies, known, allowance, (failure, bytes, heldBytes) => {
      try {
        if (failure !== null) throw failure
        this.#parse(request, reply, bytes, heldBytes)
      } catch (error) {
        this.refuse(request, reply, error, heldBytes)
      }
    })
  }

  /** Answers a request that is refused, and releases its memory. */
  refuse(request: FastifyRequest, reply: FastifyReply, error: unknown, heldBytes: number): void {
    const { bodies, catalog } = this.#dependencies
    const known = request.knownKey!
    request.claim?.drop()
    bodies.memory.release(known, heldBytes)
    countRefusal(known, error, catalog.current())
    reply.send(error)
  }

  /**
   * Reads a body again, after a wait without its members: they may take more memory than the body.
   *
   * @throws ServiceError
   */
  readAgain(request: FastifyRequest, reply: FastifyReply, bytes: Buffer, heldBytes: number): void {
    this.#parse(request, reply, bytes, heldBytes)
  }

  /** @param heldBytes body memory to release when the request is over */
  #parse(request: FastifyRequest, reply: FastifyReply, bytes: Buffer, heldBytes: number): void {
    const reading = new BodyReading(bytes, this.#schema)
    if (reading.isShort) {
      while (!reading.step());
      this.#find(request, reply, reading.body, heldBytes)
      return
    }
    this.#dependencies.slices.run(
      () => reading.step(),
      (failure) => {
        try {
          if (failure !== null) throw failure
          this.#find(request, reply, reading.body, heldBytes)
        } catch (error) {
          this.refuse(request, reply, error, heldBytes)
        }
      }
    )
  }

  /** Finds what the ids in a request refer to, and continues. Most requests have none. */
  #find(request: FastifyRequest, reply: FastifyReply, body: RequestBody<unknown>, heldBytes: number): void {
    const named = this.#namedInput?.(body) ?? null
    if (named === null) {
      this.#next(request, reply, { body, heldBytes, found: nothingFound })
      return
    }
    const { calls, storedResponses } = this.#dependencies
    const { pointer } = request.knownKey!
    calls.entered()
    findInput(named, (ids) => storedResponses.find(pointer, ids))
      .finally(() => calls.left())
      .then((found) => this.#next(request, reply, { body, heldBytes, found }))
      .catch((error) => this.refuse(request, reply, error, heldBytes))
  }
}
