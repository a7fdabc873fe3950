import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { IntervalChecks } from '../event-loop/interval-checks.ts'

type Watched = { takenBytes: number; looks: number }

const looksUntilCut = 4

/**
 * Cuts off clients that take nothing of their answers for too long. They would hold memory, a connection and the
 * upstream's work. Only clients that something waits for are looked at. What counts is what the operating system takes
 * for them, as in nginx's `send_timeout`; of a client that is behind by megabytes, it takes some only now and then.
 */
export class SlowReaders {
  readonly #watched = new Map<Socket, Watched>()
  readonly #checks: IntervalChecks

  /** @param limitMs how long a client may take nothing; it is cut off at most a quarter of that later */
  constructor(limitMs: number) {
    this.#checks = new IntervalChecks(limitMs / looksUntilCut, () => this.#look())
  }

  /**
   * Says that bytes of an answer wait for its client to take them. One that waits for its turn, behind the answer to an
   * earlier request of its connection, is looked at from then on.
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
      } else if (++watched.looks > looksUntilCut) {
        this.#watched.delete(socket)
        socket.destroy()
      }
    }
    if (this.#watched.size === 0) this.#checks.stop()
  }
}

/** Bytes that have left for the client. */
function takenBytes(socket: Socket): number {
  return socket.bytesWritten - socket.writableLength
}
