import { IncomingMessage, type RequestListener, type Server } from 'node:http'
import type { Socket } from 'node:net'

/**
 * Maximum requests of one connection in a turn of the event loop. A client that waits for each answer sends one. A
 * megabyte can contain 30,000, and Node answers all of them before it serves another client.
 */
const maxRequestsPerTurn = 16
/**
 * Maximum pieces of a body in a turn of the event loop. Node needs up to a microsecond for each. A megabyte in chunks
 * of one byte has 170,000 pieces, a megabyte in packets 720.
 */
const maxPiecesPerTurn = 4096

let turn = 0
let isTurnCounted = false
const endTurn = () => {
  isTurnCounted = false
  turn++
}

/** The number of the current turn of the event loop. */
function currentTurn(): number {
  if (!isTurnCounted) {
    isTurnCounted = true
    setImmediate(endTurn)
  }
  return turn
}

/** How many requests a connection has sent in a turn. */
interface RequestCount {
  turn: number
  requests: number
}
/** A member of the socket, because a `WeakMap` of all sockets would slow each garbage collection. */
const ofSocket = Symbol('requests of this turn')
interface BoundedSocket extends Socket {
  [ofSocket]?: RequestCount
}

/**
 * Destroys a socket with many requests. Node then creates an error for each request. Without stack traces this takes
 * half the time.
 */
function endCheaply(socket: Socket): void {
  let limit = Error.stackTraceLimit
  socket.prependOnceListener('close', () => {
    limit = Error.stackTraceLimit
    Error.stackTraceLimit = 0
  })
  socket.once('close', () => {
    Error.stackTraceLimit = limit
  })
  socket.destroy()
}

/**
 * A request that closes its connection if the sender would block the event loop, with many requests at once or a body
 * in very many pieces. Pass it to `http.createServer` as `IncomingMessage`, and call `skipEndedConnections`.
 */
export class BoundedMessage extends IncomingMessage {
  /** Whether the connection was closed before the request was read. Then nothing handles the request. */
  readonly #isSkipped: boolean
  #turn = -1
  #pieces = 0

  constructor(socket: BoundedSocket) {
    super(socket)
    this.#isSkipped = socket.destroyed
    if (this.#isSkipped) return
    const now = currentTurn()
    const count = socket[ofSocket]
    if (count === undefined) socket[ofSocket] = { turn: now, requests: 1 }
    else if (count.turn !== now) {
      count.turn = now
      count.requests = 1
    } else if (++count.requests > maxRequestsPerTurn) endCheaply(socket)
  }

  /** Node calls this for each request of a closed connection. */
  override destroy(error?: Error): this {
    return this.#isSkipped ? this : super.destroy(error)
  }

  /** Node's parser calls this for each piece of the body. */
  override push(chunk: unknown, encoding?: BufferEncoding): boolean {
    const now = currentTurn()
    if (this.#turn !== now) {
      this.#turn = now
      this.#pieces = 0
    } else if (++this.#pieces > maxPiecesPerTurn) {
      this.socket.destroy()
      return true
    }
    return super.push(chunk, encoding)
  }
}

/**
 * Hides requests of closed connections from the application: Node still reads requests from packets that arrived
 * before. Call it after the server has its listeners.
 */
export function skipEndedConnections(server: Server): void {
  const listeners = server.listeners('request') as RequestListener[]
  server.removeAllListeners('request')
  server.on('request', (request, response) => {
    if (request.socket.destroyed) return
    for (const listener of listeners) listener.call(server, request, response)
  })
}
