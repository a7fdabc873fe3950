import type { IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'

/** Node reads shorter bodies by itself, and keeps the connection. */
const shortBytes = 64 * 1024
/** How much of the rest of a body is read, and for how long, so that the answer arrives. */
const maxDrainedBytes = 32 * 1024 * 1024
const maxDrainMs = 4000

/** Whether a request has a long body that is still unread, or a body that is no longer read. */
export function hasUnreadBody(request: IncomingMessage): boolean {
  if (request.complete || request.readableEnded || request.destroyed) return false
  // A reader has started and stopped.
  if (request.readableFlowing !== null) return true
  const { 'content-length': length, 'transfer-encoding': coding } = request.headers
  return coding !== undefined || Number(length ?? 0) > shortBytes
}

/**
 * The body of an answer to such a request. It sends the text at once, and reads and drops the rest of the request. It ends when the
 * request has arrived, the client has left, or a limit is reached. If the connection were closed while bytes of the request
 * arrive, the operating system would reset it, and the client could lose the answer.
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
