import type { Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'

/** How the proxy delays and throttles traffic. */
export interface Shaping {
  /** Delay of each byte, ms. */
  delayMs: number
  /** Rate per direction; null for no limit. */
  bytesPerSecond: number | null
}

/** Maximum buffered bytes. Beyond it the sender has to wait. */
const maxWaitingBytes = 1_000_000

/** One direction of a connection, in order. A stopped flow keeps its bytes, because a TCP sender would resend them. */
export class Flow {
  readonly #from: Socket
  readonly #to: Socket
  readonly #shaping: Shaping
  readonly #before: (bytes: Buffer) => void
  readonly #waiting: Array<{ bytes: Buffer; dueAt: number }> = []
  #waitingBytes = 0
  #resumed = Promise.withResolvers<void>()
  #isRunning = false
  #hasEnded = false

  /** @param before called with bytes about to pass; it may stop the flow */
  constructor(from: Socket, to: Socket, shaping: Shaping, before: (bytes: Buffer) => void) {
    this.#from = from
    this.#to = to
    this.#shaping = shaping
    this.#before = before
    this.#resumed.resolve()
    from.on('data', (bytes: Buffer) => {
      this.#waiting.push({ bytes, dueAt: performance.now() + shaping.delayMs })
      this.#waitingBytes += bytes.length
      if (this.#waitingBytes > maxWaitingBytes) from.pause()
      void this.#run()
    })
    from.on('end', () => {
      this.#hasEnded = true
      void this.#run()
    })
  }

  stop(): void {
    this.#resumed = Promise.withResolvers()
  }

  resume(): void {
    this.#resumed.resolve()
  }

  async #run(): Promise<void> {
    if (this.#isRunning) return
    this.#isRunning = true
    for (let next = this.#waiting[0]; next !== undefined; next = this.#waiting[0]) {
      const { bytes, dueAt } = next
      // Timers count whole milliseconds, and may fire one too early.
      for (let early = dueAt - performance.now(); early > 0; early = dueAt - performance.now())
        await delay(Math.ceil(early))
      this.#before(bytes)
      await this.#resumed.promise
      this.#waiting.shift()
      this.#waitingBytes -= bytes.length
      if (this.#waitingBytes <= maxWaitingBytes) this.#from.resume()
      await this.#write(bytes)
    }
    this.#isRunning = false
    if (this.#hasEnded) this.#to.end()
  }

  async #write(bytes: Buffer): Promise<void> {
    if (this.#to.destroyed) return
    const { bytesPerSecond } = this.#shaping
    const isTaken = this.#to.write(bytes)
    if (bytesPerSecond !== null) await delay((bytes.length / bytesPerSecond) * 1000)
    if (isTaken || this.#to.destroyed) return
    await new Promise<void>((resolve) => {
      const resume = () => {
        this.#to.off('drain', resume).off('close', resume)
        resolve()
      }
      this.#to.on('drain', resume).on('close', resume)
    })
  }
}
