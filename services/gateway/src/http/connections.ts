import type { Server } from 'node:http'
import type { Socket } from 'node:net'

const checkEveryMs = 100
/** How long a started request may keep its connection open. The gateway would refuse it anyway. */
const startedRequestMs = 2000

/**
 * Closes the connections of a stopping server, each as soon as its client has read its answers. Node.js would keep connections
 * open that have brought no request, or a part of one, until their clients close them.
 */
export class Connections {
  readonly #server: Server
  readonly #open = new Set<Socket>()
  #timer: NodeJS.Timeout | undefined

  constructor(server: Server) {
    this.#server = server
    server.on('connection', (socket) => {
      this.#open.add(socket)
      socket.once('close', () => this.#open.delete(socket))
    })
    server.once('close', () => clearInterval(this.#timer))
  }

  /** Call this once every answer has been written. Waits until clients have read them. */
  closeWhenTaken(): void {
    const startedAt = performance.now()
    this.#timer = setInterval(() => {
      this.#server.closeIdleConnections()
      const isPatient = performance.now() - startedAt < startedRequestMs
      for (const socket of this.#open) {
        if (socket.writableLength === 0 && (socket.bytesRead === 0 || !isPatient)) socket.destroy()
      }
    }, checkEveryMs)
  }
}
