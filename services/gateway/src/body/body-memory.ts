/** Who sends bodies: a key that this process remembers. */
export type BodySender = {
  /** Bytes of bodies that it has in flight here. Belongs to {@link BodyMemory}. */
  bodyBytes: number
}

/** Why bytes cannot be held: the sender has too many in flight, or all senders together have. */
export type NoRoom = 'sender' | 'process'

/** Bodies up to this length have a share of the memory that longer ones cannot take. */
export const shortBodyBytes = 64 * 1024
/** That share: an eighth. */
const shortShare = 8

/**
 * Counts the bytes of request bodies that this process holds, for each sender and in total, and refuses more than allowed.
 * Counts only: nothing is allocated here. Every successful `hold` needs one `release` of the same number.
 *
 * A sender is counted what its bodies will have, and the process what has come of them: who announces much and sends little
 * takes nothing from others.
 */
export class BodyMemory {
  readonly limitBytes: number
  #heldBytes = 0
  #awaitedBytes = 0

  constructor(limitBytes: number) {
    this.limitBytes = limitBytes
  }

  /** In total. */
  get heldBytes(): number {
    return this.#heldBytes
  }

  /** Bytes of expected bodies that have not come. */
  get awaitedBytes(): number {
    return this.#awaitedBytes
  }

  /** What bodies may take in total, if one of them is to have so many bytes. */
  #limitFor(bodyBytes: number): number {
    return bodyBytes <= shortBodyBytes ? this.limitBytes : this.limitBytes - Math.floor(this.limitBytes / shortShare)
  }

  /**
   * Counts a body that is about to come for its sender. For the process its bytes are held with {@link arrived} as they come.
   *
   * @returns null if the sender has been counted; else nothing has changed
   */
  expect(sender: BodySender, bytes: number, senderLimit: number): NoRoom | null {
    if (sender.bodyBytes + bytes > senderLimit) return 'sender'
    if (this.#heldBytes + bytes > this.#limitFor(bytes)) return 'process'
    sender.bodyBytes += bytes
    this.#awaitedBytes += bytes
    return null
  }

  /** Ends what `expect` began, of bytes that have not come. */
  forget(sender: BodySender, bytes: number): void {
    sender.bodyBytes -= bytes
    this.#awaitedBytes -= bytes
  }

  /**
   * Holds bytes that have come of an expected body.
   *
   * @param bodyBytes of the whole body
   * @returns whether there was room
   */
  arrived(bytes: number, bodyBytes: number): boolean {
    if (!this.holdShared(bytes, bodyBytes)) return false
    this.#awaitedBytes -= bytes
    return true
  }

  /**
   * @param senderLimit bytes that the sender may have in flight
   * @param bodyBytes of the whole body, as far as it is known
   * @returns null if the bytes are held now; else nothing has changed
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
   * Holds bytes that count for the process only: the window of a decoder.
   *
   * @param bodyBytes of the whole body
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
