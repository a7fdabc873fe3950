import type { IncomingMessage, ServerResponse } from 'node:http'
import { ServiceError } from '@tollgate/contracts/errors/service-error.ts'
import {
  type BodyDecoder,
  createBodyDecoder,
  decodingError,
  isEncoded,
  refuseCharset
} from '@tollgate/service/http/request-body.ts'
import { type BodyMemory, type BodySender, type NoRoom, noRoomError, shortBodyBytes } from '../body/body-memory.ts'
import type { ArrivingBody, SlowBodies } from '../body/slow-bodies.ts'

/** 20 MiB: room for images and audio in a prompt. */
export const maxBodyBytes = 20 * 1024 * 1024
/** Memory of a decoder besides its window and its output. */
const decoderBytes = 256 * 1024
const isJson = /^application\/json *(;|$)/i

/** What all body readers share. */
export interface BodyReader {
  memory: BodyMemory
  slowBodies: SlowBodies
}

/**
 * Gets a failure, or the body and the bytes of memory held for it. The callee must release them.
 */
export type BodyDone = (failure: ServiceError | null, body: Buffer, heldBytes: number) => void

/** Length of the body by the request's head, before decoding; -1 for a chunked body. */
export function declaredLength({ headers }: IncomingMessage): number {
  const length = headers['content-length']
  if (length !== undefined) return Number(length)
  return headers['transfer-encoding'] === undefined ? 0 : -1
}

/**
 * Reads and decodes a JSON body, then calls `done` once. It holds memory before it reads. If the client leaves before
 * the end, it does not call `done`.
 *
 * A body of known length is complete with its last byte. Fastify waits for the end of the stream with three listeners
 * and copies all bytes, which took 4 % of the CPU time of a request.
 *
 * @param senderLimit bytes that the sender may have in flight
 * @param done gets request_too_large, unsupported_media_type, concurrent_request_bytes, gateway_busy, request_timeout,
 *   invalid_request if the body cannot be decoded, or the body
 */
export function readBody(
  request: IncomingMessage,
  response: ServerResponse,
  reader: BodyReader,
  sender: BodySender,
  senderLimit: number,
  done: BodyDone
): void {
  const declared = declaredLength(request)
  if (declared === 0) {
    done(null, none, 0)
    return
  }
  const { 'content-type': type, 'content-encoding': encoding } = request.headers
  let decoder: BodyDecoder | null = null
  let failure: ServiceError | null = null
  if (declared > maxBodyBytes) failure = tooLarge()
  else if (type !== 'application/json') failure = refuseType(type)
  if (failure === null && isEncoded(encoding)) {
    try {
      decoder = createBodyDecoder(encoding)
    } catch (error) {
      failure = error as ServiceError
    }
  }
  if (failure === null) {
    const noRoom =
      decoder === null
        ? reader.memory.expect(sender, Math.max(declared, 0), senderLimit)
        : reader.memory.hold(sender, decoderBytes, senderLimit, maxBodyBytes)
    if (noRoom !== null) failure = noRoomError(noRoom)
  }
  if (failure !== null) {
    decoder?.stream.destroy()
    done(failure, none, 0)
    return
  }
  // The client waits for this before it sends the body.
  if (awaitsContinue(request)) response.writeContinue()
  new Reading(request, reader, sender, senderLimit, declared, decoder, done).begin()
}

function refuseType(type: string | undefined): ServiceError | null {
  if (type === undefined || !isJson.test(type)) return new ServiceError('unsupported_media_type')
  return refuseCharset(type)
}

/** Whether the client asks for `100 Continue`. In HTTP/1.0 it cannot (RFC 9110, 10.1.1). */
const awaitsContinue = ({ headers: { expect }, httpVersion }: IncomingMessage): boolean =>
  expect !== undefined && httpVersion === '1.1' && /(^|\W)100-continue($|\W)/i.test(expect)

/** One arriving body. */
class Reading implements ArrivingBody {
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
    const body = this.#bytes === null ? none : this.#bytes.subarray(0, this.#length)
    const room = this.#room
    this.#stop(room)
    done?.(null, body, room)
  }

  #fail(failure: ServiceError): void {
    const done = this.#done
    this.#stop(0)
    done?.(failure, none, 0)
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

const tooLarge = () =>
  new ServiceError('request_too_large', { message: 'The request body is larger than 20 MiB. Send a smaller one.' })

const none = Buffer.alloc(0)
