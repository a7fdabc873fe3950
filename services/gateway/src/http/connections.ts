import type { Server } from 'node:http'
import type { Socket } from 'node:net'

const checkEveryMs = 100
/** How long an incomplete request may keep its connection open. The gateway would refuse the request anyway. */
const startedRequestMs = 2000

/**
 * Closes each connection of a stopping server as soon as its client has read its answers. Node.js itself keeps connections without
 * a request, or with a part of one, open until their clients close them.
 */
export class Connections {
  readonly #server: Server
  readonly #open = new Set<Socket>()
  /** Connections that had sent nothing when they were checked last. */
  #silent = new Set<Socket>()
  #timer: NodeJS.Timeout | undefined

  constructor(server: Server) {
    this.#server = server
    server.on('connection', (socket) => {
      this.#open.add(socket)
      socket.once('close', () => this.#open.delete(socket))
    })
    server.once('close', () => clearInterval(this.#timer))
  }

  /** How many are open. */
  get count(): number {
    return this.#open.size
  }

  /** Call this once every answer has been written. It waits until clients have read them. */
  closeWhenRead(): void {
    const startedAt = performance.now()
    // Timers run before sockets are read, so the check waits for the requests that have arrived.
    this.#timer = setInterval(() => setImmediate(() => this.#check(startedAt)), checkEveryMs)
  }

  #check(startedAt: number): void {
    this.#server.closeIdleConnections()
    const isPatient = performance.now() - startedAt < startedRequestMs
    const silent = new Set<Socket>()
    for (const socket of this.#open) {
      if (socket.bytesRead === 0) silent.add(socket)
      if (socket.writableLength === 0 && ((socket.bytesRead === 0 && this.#silent.has(socket)) || !isPatient))
        socket.destroy()
    }
    this.#silent = silent
  }
}
