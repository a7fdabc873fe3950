import { connect, createServer, type Server, type Socket } from 'node:net'
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
  let holding: { match: (sent: Buffer) => boolean; resolve: () => void } | null = null

  const server = createServer((client) => {
    client.on('error', () => client.destroy())
    if (state === 'cut') client.resetAndDestroy()
    else connectToOne(client, targets.length)
  })

  function connectToOne(client: Socket, attempts: number): void {
    const toServer = connect({ port: targets[next++ % targets.length]!, host: '127.0.0.1', noDelay: true })
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
      if (holding?.match(bytes) !== true) return
      up.stop()
      holding.resolve()
      holding = null
    })
    const down = new Flow(toServer, client, shaping, () => undefined)
    const one: Connection = { client, server: toServer, flows: [up, down], sent: '' }
    connections.add(one)
    if (state === 'dropping') for (const flow of one.flows) flow.stop()
    closeTogether(one, () => connections.delete(one))
  }

  const port = await listen(server)
  return {
    port,
    shape: (change) => void Object.assign(shaping, change),
    drop(matches) {
      if (matches === undefined) state = 'dropping'
      for (const { flows, sent } of connections) if (matches?.(sent) !== false) for (const flow of flows) flow.stop()
    },
    cut() {
      state = 'cut'
      for (const { client, server: toServer } of connections) {
        client.resetAndDestroy()
        toServer.resetAndDestroy()
      }
    },
    halfOpen() {
      for (const one of connections) {
        connections.delete(one)
        one.server.removeAllListeners('close')
        one.server.destroy()
      }
    },
    hold: (match) => new Promise((resolve) => (holding = { match, resolve })),
    restore() {
      state = 'open'
      Object.assign(shaping, unshaped)
      for (const { flows } of connections) for (const flow of flows) flow.resume()
    },
    async close() {
      for (const { client, server: toServer } of connections) {
        client.destroy()
        toServer.destroy()
      }
      await new Promise((resolve) => server.close(resolve))
    }
  }
}

/** When one side of a connection closes, the other side closes in the same way. */
function closeTogether({ client, server, flows }: Connection, onClose: () => void): void {
  for (const [socket, other] of [
    [client, server],
    [server, client]
  ] as const) {
    socket.on('error', () => undefined)
    socket.on('close', (hadError) => {
      onClose()
      if (hadError) other.resetAndDestroy()
      else other.end()
      for (const flow of flows) flow.resume()
    })
  }
}

/** @returns the port that it listens on */
const listen = (server: Server): Promise<number> =>
  startOnPort(
    0,
    (port) =>
      new Promise<number>((resolve, reject) => {
        server.once('error', (error) => reject(isAddressInUse(error) ? new PortTakenError(port) : error))
        server.listen(port, '127.0.0.1', () => resolve(port))
      })
  )

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
