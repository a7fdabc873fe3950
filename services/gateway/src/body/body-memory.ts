/** Who sends bodies: a key that this process remembers. */
export type BodySender = {
  /** Bytes of bodies that it has in flight here. Belongs to {@link BodyMemory}. */
  bodyBytes: number
}

/** Why bytes cannot be held: the sender has too many in flight, or all senders together have. */
export type NoRoom = 'sender' | 'process'

/**
 * Counts the bytes of request bodies that this process holds, for each sender and in total, and refuses more than allowed.
 * Counts only: nothing is allocated here. Every successful `hold` needs one `release` of the same number.
 */
export class BodyMemory {
  readonly limitBytes: number
  #heldBytes = 0

  constructor(limitBytes: number) {
    this.limitBytes = limitBytes
  }

  /** In total. */
  get heldBytes(): number {
    return this.#heldBytes
  }

  /**
   * @param senderLimit bytes that the sender may have in flight
   * @returns null if the bytes are held now; else nothing has changed
   */
  hold(sender: BodySender, bytes: number, senderLimit: number): NoRoom | null {
    if (sender.bodyBytes + bytes > senderLimit) return 'sender'
    if (this.#heldBytes + bytes > this.limitBytes) return 'process'
    sender.bodyBytes += bytes
    this.#heldBytes += bytes
    return null
  }

  release(sender: BodySender, bytes: number): void {
    sender.bodyBytes -= bytes
    this.#heldBytes -= bytes
  }

  /** Holds bytes that count for the process only: the window of a decoder. @returns whether there was room */
  holdShared(bytes: number): boolean {
    if (this.#heldBytes + bytes > this.limitBytes) return false
    this.#heldBytes += bytes
    return true
  }

  releaseShared(bytes: number): void {
    this.#heldBytes -= bytes
  }
}
