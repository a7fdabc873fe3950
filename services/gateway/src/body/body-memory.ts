import { ServiceError } from '@tollgate/contracts/errors/service-error.ts'

/** The sender of bodies: a key that this process remembers. */
export interface BodySender {
  /** Bytes of its bodies in flight here. Belongs to {@link BodyMemory}. */
  bodyBytes: number
}

/** Why bytes cannot be held: one sender, or all senders together, have too many in flight. */
export type NoRoom = 'sender' | 'process'

/** Bodies up to this length have a reserved share of the memory. */
export const shortBodyBytes = 64 * 1024
/** The reserved share is one eighth. */
const shortShare = 8

/**
 * Counts the bytes of request bodies in this process, per sender and in total, and enforces limits. It allocates
 * nothing. Every successful `hold` needs one `release` of the same number.
 *
 * A body counts for its sender with its full length, and for the process with the bytes that have arrived. So a sender
 * that announces much and sends little takes nothing from others.
 */
export class BodyMemory {
  readonly limitBytes: number
  #heldBytes = 0
  #awaitedBytes = 0

  constructor(limitBytes: number) {
    this.limitBytes = limitBytes
  }

  /** Bytes of all bodies. */
  get heldBytes(): number {
    return this.#heldBytes
  }

  /** Bytes of expected bodies that have not arrived. */
  get awaitedBytes(): number {
    return this.#awaitedBytes
  }

  /** The total limit that applies to a body of this length. */
  #limitFor(bodyBytes: number): number {
    return bodyBytes <= shortBodyBytes ? this.limitBytes : this.limitBytes - Math.floor(this.limitBytes / shortShare)
  }

  /**
   * Counts an announced body for its sender. {@link arrived} counts its bytes for the process as they arrive.
   *
   * @returns null on success; else nothing has changed
   */
  expect(sender: BodySender, bytes: number, senderLimit: number): NoRoom | null {
    if (sender.bodyBytes + bytes > senderLimit) return 'sender'
    if (this.#heldBytes + bytes > this.#limitFor(bytes)) return 'process'
    sender.bodyBytes += bytes
    this.#awaitedBytes += bytes
    return null
  }

  /** Takes back expected bytes that will not arrive. */
  forget(sender: BodySender, bytes: number): void {
    sender.bodyBytes -= bytes
    this.#awaitedBytes -= bytes
  }

  /**
   * Holds bytes of an expected body that have arrived.
   *
   * @param bodyBytes length of the whole body
   * @returns whether there was room
   */
  arrived(bytes: number, bodyBytes: number): boolean {
    if (!this.holdShared(bytes, bodyBytes)) return false
    this.#awaitedBytes -= bytes
    return true
  }

  /**
   * @param senderLimit bytes that the sender may have in flight
   * @param bodyBytes length of the whole body, as far as known
   * @returns null on success; else nothing has changed
   */
  hold(sender: BodySender, bytes: number, senderLimit: number, bodyBytes = bytes): NoRoom | null {
    if (sender.bodyBytes + bytes > senderLimit) return 'sender'
    if (this.#heldBytes + bytes > this.#limitFor(bodyBytes)) return 'process'
    sender.bodyBytes += bytes
    this.#heldBytes += bytes
    return null
  }

  release(sender: BodySender, bytes: number): void {
    sender.bodyBytes -= bytes
    this.#heldBytes -= bytes
  }

  /**
   * Holds bytes that count for the process only, such as the window of a decoder.
   *
   * @param bodyBytes length of the whole body
   * @returns whether there was room
   */
  holdShared(bytes: number, bodyBytes: number): boolean {
    if (this.#heldBytes + bytes > this.#limitFor(bodyBytes)) return false
    this.#heldBytes += bytes
    return true
  }

  releaseShared(bytes: number): void {
    this.#heldBytes -= bytes
  }
}

/** Tells a client that the memory of bodies has no room. */
export function noRoomError(noRoom: NoRoom): ServiceError {
  return noRoom === 'process'
    ? new ServiceError('gateway_busy')
    : new ServiceError('concurrent_request_bytes', { retryAfter: 1 })
}
