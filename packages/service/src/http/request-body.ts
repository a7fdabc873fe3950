import type { IncomingMessage } from 'node:http'
import { Readable, type Transform } from 'node:stream'
import { constants, createBrotliDecompress, createGunzip, createInflate, createZstdDecompress } from 'node:zlib'
import { ServiceError } from '@tollgate/contracts/errors/service-error.ts'

/** Nearly all content types of JSON. */
const usual = /^application\/json *(?:; *charset="?utf-8"? *)?$/i

const charsetOf = /; *charset *= *"?([^";\s]*)/i

/** US-ASCII is a part of UTF-8. */
const isUtf8Name = /^(utf-?8|us-ascii)$/

/** Node reads shorter bodies by itself, and keeps the connection. */
const shortBytes = 64 * 1024

/** How much of the rest of a body is read, and for how long, so that the answer arrives. */
const maxDrainedBytes = 32 * 1024 * 1024

const maxDrainMs = 4000

/** The accepted values of `Content-Encoding` (RFC 9110, 8.4.1; zstd: RFC 9659). */
export const acceptedEncodings = 'gzip, deflate, br, zstd'

/** 8 MiB: no sender may need more (RFC 9659, 3). Without this limit, a few bytes could allocate 128 MiB. */
const zstdWindowLog = 23

/** A decoder with a hint about its memory. */
export interface BodyDecoder {
  stream: Transform & { bytesWritten: number }
  /** Whether it keeps a window in memory that may be as large as its output. */
  hasLargeWindow: boolean
}

/** Whether a body with this `Content-Encoding` must be decoded. */
export function isEncoded(contentEncoding: string | undefined): contentEncoding is string {
  return contentEncoding !== undefined && contentEncoding !== '' && contentEncoding.toLowerCase() !== 'identity'
}

/**
 * Creates a decoder for a `Content-Encoding`.
 *
 * @throws ServiceError unsupported_media_type for several encodings and for unknown ones
 */
export function createBodyDecoder(contentEncoding: string): BodyDecoder {
  switch (contentEncoding.trim().toLowerCase()) {
    case 'gzip':
    case 'x-gzip':
      return { stream: createGunzip(), hasLargeWindow: false }
    case 'deflate':
      return { stream: createInflate(), hasLargeWindow: false }
    case 'br':
      return { stream: createBrotliDecompress(), hasLargeWindow: true }
    case 'zstd': {
      const stream = createZstdDecompress({ params: { [constants.ZSTD_d_windowLogMax]: zstdWindowLog } })
      return { stream, hasLargeWindow: true }
    }
  }
  throw new ServiceError('unsupported_media_type', {
    message: `The content-encoding of the request body is not supported. Send one of ${acceptedEncodings}, or none.`,
    // RFC 7694, 3
    headers: { 'accept-encoding': acceptedEncodings }
  })
}

/** The error for a body that does not match its `Content-Encoding`. */
export function decodingError(contentEncoding: string, cause?: unknown): ServiceError {
  const name = contentEncoding.trim().toLowerCase()
  return new ServiceError('invalid_request', {
    message: `The request body is not valid ${name} data. Compress it again, or send it without content-encoding.`,
    cause
  })
}

/** Whether a request has a long body that is still unread, or a body that is no longer read. */
export function hasUnreadBody(request: IncomingMessage): boolean {
  if (request.complete || request.readableEnded || request.destroyed) return false
  // A reader has started and stopped.
  if (request.readableFlowing !== null) return true
  const { 'content-length': length, 'transfer-encoding': coding } = request.headers
  return coding !== undefined || Number(length ?? 0) > shortBytes
}

/**
 * The body of an answer to such a request. It sends the text at once, and reads and drops the rest of the request. It
 * ends when the request has arrived, the client has left, or a limit is reached. If the connection were closed while
 * bytes of the request arrive, the operating system would reset it, and the client could lose the answer.
 *
 * The answer needs `content-length`, so the client knows its end, and `connection: close`.
 */
export function answerBeforeBody(request: IncomingMessage, text: string): Readable {
  const answer = new Readable({ read() {} })
  let drainedBytes = 0
  const timer = setTimeout(end, maxDrainMs)
  request.on('data', onData).on('end', end).on('close', end).resume()
  answer.push(text)
  return answer

  function onData(chunk: Buffer): void {
    drainedBytes += chunk.length
    if (drainedBytes > maxDrainedBytes) end()
  }

  function end(): void {
    clearTimeout(timer)
    request.off('data', onData).off('end', end).off('close', end)
    answer.push(null)
  }
}

/**
 * Refuses a content type of JSON that names another encoding than UTF-8: JSON between systems has no other (RFC 8259,
 * 8.1).
 *
 * @returns null if the encoding is UTF-8 or not named
 */
export function refuseCharset(contentType: string): ServiceError | null {
  if (usual.test(contentType)) return null
  const charset = charsetOf.exec(contentType)?.[1]?.toLowerCase()
  if (charset === undefined || isUtf8Name.test(charset)) return null
  return new ServiceError('unsupported_media_type', {
    message:
      'The Content-Type names another charset than UTF-8. Encode the body as UTF-8, and send charset=utf-8 or none.'
  })
}

/** The error for a body whose bytes are not UTF-8. */
export const notUtf8 = (): ServiceError =>
  new ServiceError('invalid_json', {
    message: 'The request body is not valid UTF-8. Encode it as UTF-8 and send it again.'
  })
