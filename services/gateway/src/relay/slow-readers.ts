import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { IntervalChecks } from '../event-loop/interval-checks.ts'

interface Watched {
  takenBytes: number
  looks: number
}

const looksUntilClose = 4

/**
 * Closes connections of clients that read nothing of their answers for too long. They would hold memory, a connection and the
 * upstream's work. Only connections with waiting bytes are checked. What counts are the bytes that the operating system takes,
 * as in nginx's `send_timeout`. For a client that is megabytes behind, it takes bytes only now and then.
 */
export class SlowReaders {
  readonly #watched = new Map<Socket, Watched>()
  readonly #checks: IntervalChecks

  /** @param maxMs how long a client may read nothing; its connection closes at most a quarter of that later */
  constructor(maxMs: number) {
    this.#checks = new IntervalChecks(maxMs / looksUntilClose, () => this.#look())
  }

  /**
   * Checks the client from now on, because bytes of its answer wait. An answer behind the answer to an earlier request of the
   * connection is checked once its turn has come.
   */
  watch(response: ServerResponse): void {
    const { socket } = response
    if (socket === null) response.once('socket', (assigned: Socket) => this.#watch(assigned))
    else this.#watch(socket)
  }

  #watch(socket: Socket): void {
    if (this.#watched.has(socket)) return
    this.#watched.set(socket, { takenBytes: takenBytes(socket), looks: 0 })
    this.#checks.start()
  }

  #look(): void {
    for (const [socket, watched] of this.#watched) {
      const taken = takenBytes(socket)
      if (socket.destroyed || socket.writableLength === 0) {
        this.#watched.delete(socket)
      } else if (taken !== watched.takenBytes) {
        watched.takenBytes = taken
        watched.looks = 0
      } else if (++watched.looks > looksUntilClose) {
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
