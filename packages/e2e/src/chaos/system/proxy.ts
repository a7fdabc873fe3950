import { connect, createServer, type Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { isAddressInUse, PortTakenError, startOnPort } from '@tollgate/sandbox/free-port.ts'

/** Maximum buffered bytes. Beyond it the sender has to wait. */
const maxWaitingBytes = 1_000_000

/** A connection through the proxy. */
interface Connection {
  client: Socket
  server: Socket
  flows: [up: Flow, down: Flow]
  /** The beginning of what the client sent, as text. */
  sent: string
}

/** A TCP proxy that can delay, drop, reset and hold traffic. */
export interface NetworkProxy {
  readonly port: number
  /** Shapes traffic on present and future connections. */
  shape(change: Partial<Shaping>): void
  /**
   * Drops all packets. Connections stay open; new ones open and stay silent.
   *
   * @param matches selects open connections by the first bytes that the client sent. Default: all, and new ones
   */
  drop(matches?: (sent: string) => boolean): void
  /** Resets all connections, and new ones as they come. */
  cut(): void
  /** Closes all connections only on the server side, so clients do not notice. New connections work. */
  halfOpen(): void
  /**
   * Holds the next matching bytes from a client before they pass. Resolves when they have arrived.
   */
  hold(match: (sent: Buffer) => boolean): Promise<void>
  /** Lets all bytes pass again, including dropped or held bytes of open connections. */
  restore(): void
  close(): Promise<void>
}

const unshaped: Shaping = { delayMs: 0, bytesPerSecond: null }
const maxFirstBytes = 1000

/**
 * Starts a proxy on 127.0.0.1.
 *
 * @param targets ports of local servers; connections go to each in turn, and skip a server that refuses
 */
export async function startProxy(...targets: readonly number[]): Promise<NetworkProxy> {
  const shaping: Shaping = { ...unshaped }
  const connections = new Set<Connection>()
  let state: 'open' | 'dropping' | 'cut' = 'open'
  let next = 0
  let held: { match: (sent: Buffer) => boolean; resolve: () => void } | null = null

  const server = createServer((client) => {
    client.on('error', () => client.destroy())
    if (state === 'cut') client.resetAndDestroy()
    else connectToOne(client, targets.length)
  })

  function connectToOne(client: Socket, attempts: number): void {
    const target = targets[next++ % targets.length]!
    const toServer = connect({ port: target, host: '127.0.0.1', noDelay: true })
    toServer.once('error', () => {
      if (attempts > 1) connectToOne(client, attempts - 1)
      else client.resetAndDestroy()
    })
    toServer.once('connect', () => {
      toServer.removeAllListeners('error')
      if (client.destroyed) toServer.destroy()
      else pass(client, toServer)
    })
  }

  function pass(client: Socket, toServer: Socket): void {
    client.setNoDelay(true)
    const up = new Flow(client, toServer, shaping, (bytes) => {
      if (one.sent.length < maxFirstBytes) one.sent += bytes.toString('latin1')
      if (held?.match(bytes) !== true) return
      up.stop()
      held.resolve()
      held = null
    })
    const down = new Flow(toServer, client, shaping, () => undefined)
    const one: Connection = { client, server: toServer, flows: [up, down], sent: '' }
    connections.add(one)
    if (state === 'dropping') for (const flow of one.flows) flow.stop()
    for (const [socket, other] of [
      [client, toServer],
      [toServer, client]
    ] as const) {
      socket.on('error', () => undefined)
      socket.on('close', (hadError) => {
        connections.delete(one)
        if (hadError) other.resetAndDestroy()
        else other.end()
        for (const flow of one.flows) flow.resume()
      })
    }
  }

  const port = await startOnPort(
    0,
    (free) =>
      new Promise<number>((resolve, reject) => {
        server.once('error', (error) => reject(isAddressInUse(error) ? new PortTakenError(free) : error))
        server.listen(free, '127.0.0.1', () => resolve(free))
      })
  )
  const all = () => [...connections]
  return {
    port,
    shape: (change) => void Object.assign(shaping, change),
    drop(matches) {
      if (matches === undefined) state = 'dropping'
      for (const { flows, sent } of all()) if (matches?.(sent) !== false) for (const flow of flows) flow.stop()
    },
    cut() {
      state = 'cut'
      for (const { client, server: toServer } of all()) {
        client.resetAndDestroy()
        toServer.resetAndDestroy()
      }
    },
    halfOpen() {
      for (const one of all()) {
        connections.delete(one)
        one.server.removeAllListeners('close')
        one.server.destroy()
      }
    },
    hold: (match) => new Promise((resolve) => (held = { match, resolve })),
    restore() {
      state = 'open'
      Object.assign(shaping, unshaped)
      for (const { flows } of all()) for (const flow of flows) flow.resume()
    },
    async close() {
      for (const { client, server: toServer } of all()) {
        client.destroy()
        toServer.destroy()
      }
      await new Promise((resolve) => server.close(resolve))
    }
  }
}

/** How the proxy delays and throttles traffic. */
interface Shaping {
  /** Delay of each byte, ms. */
  delayMs: number
  /** Rate per direction; null for no limit. */
  bytesPerSecond: number | null
}

/** One direction of a connection, in order. A stopped flow keeps its bytes, because a TCP sender would resend them. */
class Flow {
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
