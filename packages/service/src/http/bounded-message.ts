import { IncomingMessage, type RequestListener, type Server } from 'node:http'
import type { Socket } from 'node:net'

/**
 * How many requests one connection may bring in a turn of the event loop. A client that waits for each answer brings one.
 * A megabyte has room for 30,000, and Node reads and answers all of them before it turns to another client.
 */
const maxRequestsPerTurn = 16
/**
 * In how many pieces a body may come in a turn of the event loop. Node takes up to a microsecond for each, and a megabyte
 * in chunks of one byte has 170,000. A megabyte in packets has 720.
 */
const maxPiecesPerTurn = 4096

let turn = 0
let isTurnCounted = false
const endTurn = () => {
  isTurnCounted = false
  turn++
}

/** The turn that goes on. */
function currentTurn(): number {
  if (!isTurnCounted) {
    isTurnCounted = true
    setImmediate(endTurn)
  }
  return turn
}

/** How many requests a connection has brought in a turn. */
interface Brought {
  turn: number
  requests: number
}
/** On the socket: a `WeakMap` of all sockets would cost at each garbage collection. */
const ofSocket = Symbol('requests of this turn')
type BoundedSocket = Socket & { [ofSocket]?: Brought }

/**
 * Destroys a socket with many requests. When it closes, Node makes an error for each of them: without their stack traces,
 * which took half of the time.
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
 * A request that ends its connection before its sender holds the event loop: by many requests at once, or by a body in very
 * many pieces. Given to `http.createServer` as its `IncomingMessage`, together with `skipEndedConnections`.
 */
export class BoundedMessage extends IncomingMessage {
  /** Whether its connection had ended when it was read: nothing handles it. */
  readonly #isSkipped: boolean
  #turn = -1
  #pieces = 0

  constructor(socket: BoundedSocket) {
    super(socket)
    this.#isSkipped = socket.destroyed
    if (this.#isSkipped) return
    const now = currentTurn()
    const brought = socket[ofSocket]
    if (brought === undefined) socket[ofSocket] = { turn: now, requests: 1 }
    else if (brought.turn !== now) {
      brought.turn = now
      brought.requests = 1
    } else if (++brought.requests > maxRequestsPerTurn) endCheaply(socket)
  }

  /** Called by Node for each request of a connection that has ended. */
  override destroy(error?: Error): this {
    return this.#isSkipped ? this : super.destroy(error)
  }

  /** Called by Node's parser for each piece of the body. */
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
 * Keeps requests from an application whose connection has ended: Node still reads those that came in the same packets.
 * To be called once the server has its listeners.
 */
export function skipEndedConnections(server: Server): void {
  const listeners = server.listeners('request') as RequestListener[]
  server.removeAllListeners('request')
  server.on('request', (request, response) => {
    if (request.socket.destroyed) return
    for (const listener of listeners) listener.call(server, request, response)
  })
}
