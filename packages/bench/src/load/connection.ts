import { connect, type Socket } from 'node:net'
import type { RequestPlan } from './protocol.ts'
import { type Answer, ResponseParser } from './response-parser.ts'

// All connections read into one block: each read is parsed before the next one starts.
const readBuffer = Buffer.allocUnsafeSlow(64 * 1024)

/** Requests of different runs must differ, too. */
let lastNumber = Date.now() * 1000

/** The events that a connection reports to its owner. */
export interface ConnectionOwner {
  answered(connection: Connection): void
  /** Called when a stream has brought more events. */
  received(connection: Connection, events: number): void
  /** Called when the answer differs from the plan, or the connection broke. The connection is closed then. */
  failed(reason: string): void
}

/** A keep-alive connection that repeats one planned request and checks every answer. */
export class Connection {
  /** `performance.now()` at the last send. */
  sentAt = 0
  /** Events of the answer being received. */
  events = 0
  readonly #plan: RequestPlan
  readonly #request: Buffer
  readonly #owner: ConnectionOwner
  readonly #keys: KeyRing
  readonly #parser = new ResponseParser()
  readonly #socket: Socket
  #isClosed = false
  #isWaiting = false

  /** @param keys for a plan whose requests carry different keys */
  constructor(plan: RequestPlan, owner: ConnectionOwner, keys: KeyRing) {
    this.#plan = plan
    this.#request = Buffer.from(plan.text)
    this.#owner = owner
    this.#keys = keys
    this.#socket = connect({
      host: '127.0.0.1',
      port: plan.port,
      noDelay: true,
      onread: { buffer: readBuffer, callback: (length) => this.#read(length) }
    })
    this.#socket.on('error', (error) => this.#fail(`connection failed: ${error.message}`))
    this.#socket.on('close', () => this.#fail('the server closed the connection'))
  }

  get isWaiting(): boolean {
    return this.#isWaiting
  }

  send(): void {
    // Overwrites the key of the last request. That was answered, so all its bytes are written.
    if (this.#plan.keyAt !== undefined) this.#request.write(this.#keys.next(), this.#plan.keyAt, 'latin1')
    if (this.#plan.numberAt !== undefined) {
      this.#request.write(String(++lastNumber).padStart(16, '0'), this.#plan.numberAt, 'latin1')
    }
    this.#isWaiting = true
    this.events = 0
    this.sentAt = performance.now()
    this.#socket.write(this.#request)
  }

  close(): void {
    this.#isClosed = true
    this.#socket.destroy()
  }

  #read(length: number): boolean {
    let answer: Answer | null
    try {
      answer = this.#parser.push(readBuffer, length)
    } catch (error) {
      this.#fail(
        `${error instanceof Error ? error.message : String(error)}: ${readBuffer.toString('latin1', 0, length)}`
      )
      return false
    }
    const events = answer === null ? this.#parser.events : answer.events
    if (events > this.events) {
      const more = events - this.events
      this.events = events
      this.#owner.received(this, more)
    }
    if (answer === null) return true
    this.#isWaiting = false
    if (answer.status !== 200 || answer.events !== this.#plan.events || answer.bodyBytes === 0) {
      const seen = readBuffer.toString('latin1', 0, Math.min(length, 600))
      this.#fail(`status ${answer.status}, ${answer.events} events, ${answer.bodyBytes} bytes, ending in: ${seen}`)
      return false
    }
    this.#owner.answered(this)
    return true
  }

  #fail(reason: string): void {
    if (this.#isClosed) return
    this.close()
    this.#owner.failed(reason)
  }
}

/**
 * Gives each request a key: first each key once, in order; then random keys, all equally likely. A fixed order would be
 * the worst case of every cache: the next key is always the one that the cache dropped last.
 */
export class KeyRing {
  #keys: readonly string[] = []
  #used = 0
  readonly #random: () => number

  /** @param random returns numbers from 0 to below 1 */
  constructor(random: () => number = Math.random) {
    this.#random = random
  }

  /** Replaces all keys and starts again with the first. */
  fill(keys: readonly string[]): void {
    this.#keys = keys
    this.#used = 0
  }

  /** @throws if there are no keys */
  next(): string {
    const { length } = this.#keys
    if (length === 0) throw new Error('requests need different keys, but there are no keys')
    return this.#keys[this.#used < length ? this.#used++ : Math.floor(this.#random() * length)]!
  }
}
