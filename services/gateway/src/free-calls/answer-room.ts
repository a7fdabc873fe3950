import { ServiceError } from '@tollgate/contracts/errors/service-error.ts'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { type BodyMemory, type BodySender, noRoomError } from '../body/body-memory.ts'

/** Answers of stored responses that a key may be reading in this process. */
export const maxReadings = 8

/**
 * Limits the answers that cost nothing and that their clients have not read yet. A client may read slowly, or not at
 * all.
 */
export class AnswerRoom {
  readonly #memory: BodyMemory
  readonly #readings = new Map<BodySender, number>()

  constructor(memory: BodyMemory) {
    this.#memory = memory
  }

  /**
   * Begins to read a stored response, until its client has read it or left.
   *
   * @throws ServiceError concurrent_requests
   */
  enter(request: FastifyRequest, reply: FastifyReply, key: BodySender): void {
    const readings = this.#readings.get(key) ?? 0
    if (readings >= maxReadings) {
      throw new ServiceError('concurrent_requests', {
        message: `The key already reads ${maxReadings} stored responses. Retry when one of them has been read.`,
        retryAfter: 1
      })
    }
    this.#readings.set(key, readings + 1)
    onceOver(request, reply, () => {
      const left = this.#readings.get(key)! - 1
      if (left === 0) this.#readings.delete(key)
      else this.#readings.set(key, left)
    })
  }

  /**
   * Holds the bytes of an answer in the memory of bodies, until its client has read it or left.
   *
   * @param senderLimit bytes that the key may have in flight
   * @throws ServiceError concurrent_request_bytes or gateway_busy
   */
  hold(request: FastifyRequest, reply: FastifyReply, key: BodySender, bytes: number, senderLimit: number): void {
    const noRoom = this.#memory.hold(key, bytes, senderLimit)
    if (noRoom !== null) throw noRoomError(noRoom)
    onceOver(request, reply, () => this.#memory.release(key, bytes))
  }
}

/**
 * Calls a function once, when an answer is sent or its connection has closed. A pipelined answer may never get the
 * connection.
 */
function onceOver({ raw: { socket } }: FastifyRequest, { raw }: FastifyReply, over: () => void): void {
  if (raw.destroyed || socket.destroyed) {
    over()
    return
  }
  const end = () => {
    raw.off('close', end)
    socket.off('close', end)
    over()
  }
  raw.once('close', end)
  socket.once('close', end)
}
