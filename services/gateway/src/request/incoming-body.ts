import type { IncomingMessage } from 'node:http'
import { ServiceError } from '@tollgate/contracts/errors/service-error.ts'
import { type BodyDecoder, decodingError } from '@tollgate/service/http/request-body.ts'
import { type BodyMemory, type BodySender, type NoRoom, noRoomError, shortBodyBytes } from '../body/body-memory.ts'
import type { ArrivingBody, SlowBodies } from '../body/slow-bodies.ts'

/** 20 MiB: room for images and audio in a prompt. */
export const maxBodyBytes = 20 * 1024 * 1024
/** Memory of a decoder besides its window and its output. */
export const decoderBytes = 256 * 1024

/** What all body readers share. */
export interface BodyReader {
  memory: BodyMemory
  slowBodies: SlowBodies
}

/**
 * Gets a failure, or the body and the bytes of memory held for it. The callee must release them.
 */
export type BodyDone = (failure: ServiceError | null, body: Buffer, heldBytes: number) => void

/** One arriving body: its memory, its decoder and its end. */
export class IncomingBody implements ArrivingBody {
  readonly expectedBytes: number
  arrivedBytes = 0
  seenBytes = 0
  spareMs = 0
  earlier: ArrivingBody | null = null
  later: ArrivingBody | null = null
  isHeldBack = false
  readonly #request: IncomingMessage
  readonly #reader: BodyReader
  readonly #sender: BodySender
  readonly #senderLimit: number
  readonly #decoder: BodyDecoder | null
  /** null once called. */
  #done: BodyDone | null
  /** The body so far, with room for more. */
  #bytes: Buffer | null = null
  #length = 0
  /** Bytes that count for the sender. */
  #room: number
  /** Bytes of `#room` that have not arrived. They do not count for the process yet. */
  #awaited: number
  /** Bytes held for the decoder's window. */
  #windowBytes = 0

  constructor(
    request: IncomingMessage,
    reader: BodyReader,
    sender: BodySender,
    senderLimit: number,
    declared: number,
    decoder: BodyDecoder | null,
    done: BodyDone
  ) {
    this.expectedBytes = declared
    this.#request = request
    this.#reader = reader
    this.#sender = sender
    this.#senderLimit = senderLimit
    this.#decoder = decoder
    this.#done = done
    this.#room = this.#awaited = decoder === null ? Math.max(declared, 0) : 0
  }

  begin(): void {
    const request = this.#request
    request.on('data', (chunk: Buffer) => this.#onData(chunk))
    if (this.expectedBytes < 0 || this.#decoder !== null) request.on('end', () => this.#onEnd())
    if (this.expectedBytes < 0 || this.expectedBytes > shortBodyBytes || this.#decoder !== null) {
      // Shorter bodies need no listener: `SlowBodies` finds clients that have left, a tenth of its grace later.
      request.on('close', () => this.forget())
    }
    this.#decoder?.stream
      .on('data', (chunk: Buffer) => this.#keep(chunk))
      .on('end', () => this.#decoded())
      .on('error', (cause) => this.#fail(decodingError(request.headers['content-encoding']!, cause)))
    this.#reader.slowBodies.began(this)
  }

  get isAbandoned(): boolean {
    return this.#request.destroyed && !this.#request.readableEnded
  }

  cutOff(): void {
    this.#fail(new ServiceError('request_timeout'))
  }

  forget(): void {
    // The decoder may still be working on a complete body. An incomplete body will never end.
    if (this.#done !== null && !this.#request.readableEnded) this.#stop(0)
  }

  #onData(chunk: Buffer): void {
    if (this.#done === null) return
    this.arrivedBytes += chunk.length
    if (this.#decoder !== null) this.#decode(this.#decoder, chunk)
    else {
      this.#keep(chunk)
      if (this.#length === this.expectedBytes) this.#finish()
    }
  }

  #onEnd(): void {
    if (this.#done === null) return
    if (this.#decoder === null) this.#finish()
    else this.#decoder.stream.end()
  }

  #decode({ stream }: BodyDecoder, chunk: Buffer): void {
    if (this.arrivedBytes > maxBodyBytes) this.#fail(tooLarge())
    else if (!stream.write(chunk)) {
      this.isHeldBack = true
      this.#request.pause()
      stream.once('drain', () => {
        this.isHeldBack = false
        this.#request.resume()
      })
    }
  }

  #decoded(): void {
    // Bytes after the end of the compressed data would pass unchecked.
    if (this.#decoder!.stream.bytesWritten < this.arrivedBytes || !this.#request.complete) {
      this.#fail(decodingError(this.#request.headers['content-encoding']!))
    } else this.#finish()
  }

  #keep(chunk: Buffer): void {
    if (this.#done === null) return
    const length = this.#length + chunk.length
    if (length > maxBodyBytes) {
      this.#fail(tooLarge())
      return
    }
    if (length > this.#room || this.#awaited > 0) {
      const noRoom = length > this.#room ? this.#growRoom(length) : this.#holdArrived(chunk.length)
      if (noRoom !== null) {
        this.#fail(noRoomError(noRoom))
        return
      }
    }
    // Nearly every body arrives in one piece, which needs no copy. Several pieces are copied into one buffer as they
    // arrive: even a piece of one byte takes half a kilobyte.
    if (length === this.#room && this.#bytes === null && this.#decoder === null) this.#bytes = chunk
    else {
      if (this.#bytes === null || this.#bytes.length < length) this.#bytes = this.#moved()
      chunk.copy(this.#bytes, this.#length)
    }
    this.#length = length
  }

  /** Holds memory for expected bytes that have arrived. */
  #holdArrived(bytes: number): NoRoom | null {
    if (!this.#reader.memory.arrived(bytes, this.expectedBytes)) return 'process'
    this.#awaited -= bytes
    return null
  }

  /** Holds memory for a body of unknown length. */
  #growRoom(length: number): NoRoom | null {
    const { memory } = this.#reader
    const room = this.#bytes === null ? length : Math.min(maxBodyBytes, Math.max(length, 2 * this.#room))
    const more = room - this.#room
    if (this.#decoder?.hasLargeWindow) {
      if (!memory.holdShared(more, room)) return 'process'
      this.#windowBytes += more
    }
    const noRoom = memory.hold(this.#sender, more, this.#senderLimit, room)
    if (noRoom === null) this.#room = room
    return noRoom
  }

  #moved(): Buffer {
    const bytes = Buffer.allocUnsafeSlow(this.#room)
    this.#bytes?.copy(bytes, 0, 0, this.#length)
    return bytes
  }

  #finish(): void {
    const done = this.#done
    const body = this.#bytes === null ? emptyBody : this.#bytes.subarray(0, this.#length)
    const room = this.#room
    this.#stop(room)
    done?.(null, body, room)
  }

  #fail(failure: ServiceError): void {
    const done = this.#done
    this.#stop(0)
    done?.(failure, emptyBody, 0)
  }

  /** @param keptBytes bytes of memory that stay held */
  #stop(keptBytes: number): void {
    if (this.#done === null) return
    const { memory, slowBodies } = this.#reader
    this.#done = null
    // The request's listeners keep this object until the answer ends.
    this.#bytes = null
    slowBodies.ended(this)
    memory.releaseShared(this.#windowBytes)
    if (this.#decoder !== null) {
      memory.release(this.#sender, decoderBytes)
      this.#decoder.stream.destroy()
      if (this.isHeldBack) this.#request.resume()
    }
    memory.forget(this.#sender, this.#awaited)
    const heldBytes = this.#room - this.#awaited
    if (keptBytes < heldBytes) memory.release(this.#sender, heldBytes - keptBytes)
  }
}

export const tooLarge = () =>
  new ServiceError('request_too_large', { message: 'The request body is larger than 20 MiB. Send a smaller one.' })

export const emptyBody = Buffer.alloc(0)
