import type { Server } from 'node:http'
import type { Socket } from 'node:net'

const lookEveryMs = 100
/** How long a connection may still bring a request that has begun; it would be refused. */
const patienceMs = 2000

/**
 * Closes the connections of a server that stops, each as soon as nothing of it is lost. Node's own way leaves those open
 * that have never brought a request, or only a part of one, for as long as their clients like.
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

  /** To be called once every answer has been written; what clients have not yet taken of them is waited for. */
  closeWhenTaken(): void {
    const startedAt = performance.now()
    this.#timer = setInterval(() => {
      this.#server.closeIdleConnections()
      const isPatient = performance.now() - startedAt < patienceMs
      for (const socket of this.#open) {
        if (socket.writableLength === 0 && (socket.bytesRead === 0 || !isPatient)) socket.destroy()
      }
    }, lookEveryMs)
  }
}
