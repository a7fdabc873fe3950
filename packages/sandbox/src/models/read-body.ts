import type { IncomingMessage } from 'node:http'
import { ApiError } from './api-error.ts'

/**
 * Reads the bytes of a request's body.
 *
 * @returns null if the client disconnected before the end
 * @throws ApiError (413) for more than `limit` bytes; the rest is left unread
 */
export function readBody(request: IncomingMessage, limit: number): Promise<Buffer | null> {
  return new Promise((resolve, reject) => {
    const parts: Buffer[] = []
    let length = 0
    request.on('data', (part: Buffer) => {
      length += part.length
      if (length <= limit) {
        parts.push(part)
      } else {
        request.pause()
        reject(new ApiError(413, { message: `The request body is larger than ${limit} bytes.` }))
      }
    })
    request.once('end', () => resolve(Buffer.concat(parts, length)))
    request.once('close', () => resolve(null))
  })
}
