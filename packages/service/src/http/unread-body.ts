import type { IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'

/** So much is left to Node, which reads it and keeps the connection. */
const shortBytes = 64 * 1024
/** How much more of a body is read for an answer to arrive, and for how long. */
const maxDrainedBytes = 32 * 1024 * 1024
const maxDrainMs = 4000

/** Whether a request is answered before a body that is long, or that nobody will read on. */
export function hasUnreadBody(request: IncomingMessage): boolean {
  if (request.complete || request.readableEnded || request.destroyed) return false
  // Somebody has begun to read it, and has stopped.
  if (request.readableFlowing !== null) return true
  const { 'content-length': length, 'transfer-encoding': coding } = request.headers
  return coding !== undefined || Number(length ?? 0) > shortBytes
}

/**
 * The body of an answer to such a request. It has the text at once, and ends when the rest of the request has arrived, the
 * client has left, or too much or too long has been waited for. What arrives is dropped. If the connection were closed
 * while bytes of the request arrive, the operating system would reset it, and the client could lose the answer.
 *
 * The answer needs `content-length`, which tells the client that it is whole, and `connection: close`.
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
