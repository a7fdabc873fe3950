import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { IntervalChecks } from '../event-loop/interval-checks.ts'

interface Watched {
  takenBytes: number
  /** Checks since the operating system last took bytes. */
  idleChecks: number
}

const checksUntilClose = 4

/**
 * Closes connections of clients that read nothing of their answers for too long. Such clients would keep memory, a
 * connection and an upstream busy. Only connections with waiting bytes are checked. The bytes that the operating system
 * takes count, as in nginx's `send_timeout`. For a client that is megabytes behind, it takes bytes only now and then.
 */
export class SlowReaders {
  readonly #watched = new Map<Socket, Watched>()
  readonly #checks: IntervalChecks

  /** @param maxMs how long a client may read nothing. Its connection closes at most a quarter of that later */
  constructor(maxMs: number) {
    this.#checks = new IntervalChecks(maxMs / checksUntilClose, () => this.#check())
  }

  /**
   * Checks the client while bytes of its answer wait. The answer to a pipelined request is checked after the earlier
   * answers.
   */
  watch(response: ServerResponse): void {
    const { socket } = response
    if (socket === null) response.once('socket', (assigned: Socket) => this.#watch(assigned))
    else this.#watch(socket)
  }

  #watch(socket: Socket): void {
    if (this.#watched.has(socket)) return
    this.#watched.set(socket, { takenBytes: takenBytes(socket), idleChecks: 0 })
    this.#checks.start()
  }

  #check(): void {
    for (const [socket, watched] of this.#watched) {
      const taken = takenBytes(socket)
      if (socket.destroyed || socket.writableLength === 0) {
        this.#watched.delete(socket)
      } else if (taken !== watched.takenBytes) {
        watched.takenBytes = taken
        watched.idleChecks = 0
      } else if (++watched.idleChecks > checksUntilClose) {
        this.#watched.delete(socket)
        socket.destroy()
      }
    }
    if (this.#watched.size === 0) this.#checks.stop()
  }
}

/** Bytes that the operating system has taken for the client. */
function takenBytes(socket: Socket): number {
  return socket.bytesWritten - socket.writableLength
}
