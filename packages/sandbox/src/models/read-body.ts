import type { IncomingMessage } from 'node:http'
import { ApiError } from './api-error.ts'

/**
 * The bytes of a request's body, exactly as they arrived.
 *
 * @returns null when the client went away before the end
 * @throws ApiError (413) when there are more than `limit` of them; the rest is then left unread
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
