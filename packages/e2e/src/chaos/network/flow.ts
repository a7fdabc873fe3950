import type { Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'

/** What a network does to everything that passes. */
export type Weather = {
  /** Each byte comes so much later, ms. */
  delayMs: number
  /** In each direction; null: as many as come. */
  bytesPerSecond: number | null
}

/** More than this does not wait in the network: then the sender has to. */
const mostWaitingBytes = 1_000_000

/** One direction of a connection, in order. What waits when it is stopped is kept, as a sender would send it again. */
export class Flow {
  readonly #from: Socket
  readonly #to: Socket
  readonly #weather: Weather
  readonly #before: (bytes: Buffer) => void
  readonly #waiting: Array<{ bytes: Buffer; dueAt: number }> = []
  #waitingBytes = 0
  #going = Promise.withResolvers<void>()
  #isRunning = false
  #hasEnded = false

  /** @param before told of all that is about to pass, which it may stop */
  constructor(from: Socket, to: Socket, weather: Weather, before: (bytes: Buffer) => void) {
    this.#from = from
    this.#to = to
    this.#weather = weather
    this.#before = before
    this.#going.resolve()
    from.on('data', (bytes: Buffer) => {
      this.#waiting.push({ bytes, dueAt: performance.now() + weather.delayMs })
      this.#waitingBytes += bytes.length
      if (this.#waitingBytes > mostWaitingBytes) from.pause()
      void this.#run()
    })
    from.on('end', () => {
      this.#hasEnded = true
      void this.#run()
    })
  }

  stop(): void {
    this.#going = Promise.withResolvers()
  }

  goOn(): void {
    this.#going.resolve()
  }

  async #run(): Promise<void> {
    if (this.#isRunning) return
    this.#isRunning = true
    for (let next = this.#waiting[0]; next !== undefined; next = this.#waiting[0]) {
      const { bytes, dueAt } = next
      // Timers count whole milliseconds, and may come one too soon.
      for (let early = dueAt - performance.now(); early > 0; early = dueAt - performance.now())
        await delay(Math.ceil(early))
      this.#before(bytes)
      await this.#going.promise
      this.#waiting.shift()
      this.#waitingBytes -= bytes.length
      if (this.#waitingBytes <= mostWaitingBytes) this.#from.resume()
      await this.#write(bytes)
    }
    this.#isRunning = false
    if (this.#hasEnded) this.#to.end()
  }

  async #write(bytes: Buffer): Promise<void> {
    if (this.#to.destroyed) return
    const { bytesPerSecond } = this.#weather
    const isTaken = this.#to.write(bytes)
    if (bytesPerSecond !== null) await delay((bytes.length / bytesPerSecond) * 1000)
    if (isTaken || this.#to.destroyed) return
    await new Promise<void>((resolve) => {
      const goOn = () => {
        this.#to.off('drain', goOn).off('close', goOn)
        resolve()
      }
      this.#to.on('drain', goOn).on('close', goOn)
    })
  }
}
