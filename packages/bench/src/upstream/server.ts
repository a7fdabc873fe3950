import { createServer, type Server, type Socket } from 'node:net'
import { type BenchApi, benchPaths } from '../load/requests.ts'
import { prepareAnswers, type StreamPieces, type StreamShape } from './answers.ts'

const apis = Object.keys(benchPaths) as BenchApi[]

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

/** The parts of a request that the upstream reads. */
interface ReceivedRequest {
  api: BenchApi
  isStream: boolean
  includesUsage: boolean
}

/**
 * Splits the bytes of one connection into requests. It searches the body for two members instead of parsing it, because
 * the bench writes the bodies itself, without spaces.
 */
export class RequestReader {
  #pending: Buffer = Buffer.alloc(0)

  /**
   * Takes the next bytes.
   *
   * @returns the requests that are complete now, usually one
   * @throws on a body without `Content-Length`
   */
  push(bytes: Buffer): ReceivedRequest[] {
    let rest = this.#pending.length === 0 ? bytes : Buffer.concat([this.#pending, bytes])
    const requests: ReceivedRequest[] = []
    while (rest.length > 0) {
      const headEnd = rest.indexOf('\r\n\r\n', 0, 'latin1')
      if (headEnd === -1) break
      const length = /\r\ncontent-length: *(\d+)/i.exec(rest.toString('latin1', 0, headEnd))?.[1]
      if (length === undefined) throw new Error('a request without Content-Length')
      const end = headEnd + 4 + Number(length)
      if (rest.length < end) break
      const body = rest.toString('latin1', headEnd + 4, end)
      const line = rest.toString('latin1', 0, rest.indexOf('\r\n', 0, 'latin1'))
      requests.push({
        api: apis.find((api) => line.includes(benchPaths[api])) ?? 'chat',
        isStream: body.includes('"stream":true'),
        includesUsage: body.includes('"include_usage":true')
      })
      rest = rest.subarray(end)
    }
    this.#pending = rest
    return requests
  }
}
