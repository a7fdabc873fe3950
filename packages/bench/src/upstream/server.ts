import { createServer, type Server, type Socket } from 'node:net'
import type { StreamPieces, StreamShape } from './answers.ts'
import { prepareAnswers } from './api-answers.ts'
import { RequestReader } from './request-reader.ts'

/**
 * A model provider that answers every request with prepared bytes. It is a bare TCP server, so that it costs little.
 * Requests with `"stream":true` are streamed in the current `shape`. Connections stay open until the peer closes them.
 */
export function createUpstream(shape: () => StreamShape): Server {
  const answers = prepareAnswers()
  return createServer({ noDelay: true }, (socket) => {
    const reader = new RequestReader()
    socket.on('data', (bytes) => {
      try {
        for (const request of reader.push(bytes)) {
          const { plain, pieces } = answers[request.api]
          if (request.isStream) stream(socket, pieces, shape(), request.includesUsage)
          else socket.write(plain)
        }
      } catch {
        socket.destroy() // The measured process reports an upstream error, which ends the run.
      }
    })
    socket.on('error', () => socket.destroy()) // The peer resets connections to cut off streams.
  })
}

function stream(socket: Socket, pieces: StreamPieces, { chunks, paceMs }: StreamShape, withUsage: boolean): void {
  let left = chunks
  const next = () => {
    if (socket.destroyed) return
    if (left > 0) {
      left--
      socket.write(pieces.content)
      schedule()
      return
    }
    socket.cork()
    socket.write(pieces.finish)
    if (withUsage) socket.write(pieces.usage)
    socket.write(pieces.end)
    socket.uncork()
  }
  const schedule = () => {
    if (paceMs === 0) setImmediate(next)
    else setTimeout(next, paceMs)
  }
  socket.write(pieces.start)
  schedule()
}
