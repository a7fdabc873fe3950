import type { Transform } from 'node:stream'
import { constants, createBrotliDecompress, createGunzip, createInflate, createZstdDecompress } from 'node:zlib'
import { ServiceError } from '@tollgate/contracts/errors/service-error.ts'

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
