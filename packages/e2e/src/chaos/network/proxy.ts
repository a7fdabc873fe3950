import { connect, createServer, type Socket } from 'node:net'
import { startOnPort } from '@tollgate/sandbox/free-port.ts'
import { isAddressInUse, PortTakenError } from '@tollgate/sandbox/port-taken-error.ts'
import { Flow, type Weather } from './flow.ts'

/** A connection through a proxy. */
type Passing = {
  client: Socket
  server: Socket
  flows: [up: Flow, down: Flow]
  /** The beginning of what the client sent, as text. */
  sent: string
}

/** A stretch of network on which things go wrong. */
export type NetworkProxy = {
  readonly port: number
  /** Changes how everything passes, on connections that there are and that come. */
  weather(change: Partial<Weather>): void
  /**
   * Nothing passes any more, and nobody is told: connections stay open, new ones open and stay silent.
   *
   * @param isMeant by the beginning of what the client sent; then new connections are as ever. All by default
   */
  drop(isMeant?: (sent: string) => boolean): void
  /** Resets all connections, and new ones as they come. */
  cut(): void
  /** The servers see all their connections end; the clients see nothing, and send into the void. New ones are as ever. */
  halfOpen(): void
  /**
   * Stops the next connection on which a client sends what matches, before it passes.
   * @returns resolves when it has come
   */
  hold(match: (sent: Buffer) => boolean): Promise<void>
  /** All passes again, what was dropped or held on connections that are still there included. */
  restore(): void
  close(): Promise<void>
}

const clear: Weather = { delayMs: 0, bytesPerSecond: null }
const rememberedLength = 1000

/**
 * Listens on 127.0.0.1 and passes everything on to a server there.
 *
 * @param targets ports of servers; of several each takes its turn, and one that refuses is passed over
 */
export async function startProxy(...targets: readonly number[]): Promise<NetworkProxy> {
  const weather: Weather = { ...clear }
  const passing = new Set<Passing>()
  let state: 'open' | 'dropping' | 'cut' = 'open'
  let turn = 0
  let held: { match: (sent: Buffer) => boolean; resolve: () => void } | null = null

  const server = createServer((client) => {
    client.on('error', () => client.destroy())
    if (state === 'cut') client.resetAndDestroy()
    else connectToOne(client, targets.length)
  })

  function connectToOne(client: Socket, attempts: number): void {
    const target = targets[turn++ % targets.length]!
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
    const up = new Flow(client, toServer, weather, (bytes) => {
      if (one.sent.length < rememberedLength) one.sent += bytes.toString('latin1')
      if (held?.match(bytes) !== true) return
      up.stop()
      held.resolve()
      held = null
    })
    const down = new Flow(toServer, client, weather, () => undefined)
    const one: Passing = { client, server: toServer, flows: [up, down], sent: '' }
    passing.add(one)
    if (state === 'dropping') for (const flow of one.flows) flow.stop()
    for (const [socket, other] of [
      [client, toServer],
      [toServer, client]
    ] as const) {
      socket.on('error', () => undefined)
      socket.on('close', (hadError) => {
        passing.delete(one)
        if (hadError) other.resetAndDestroy()
        else other.end()
        for (const flow of one.flows) flow.goOn()
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
  const all = () => [...passing]
  return {
    port,
    weather: (change) => void Object.assign(weather, change),
    drop(isMeant) {
      if (isMeant === undefined) state = 'dropping'
      for (const { flows, sent } of all()) if (isMeant?.(sent) !== false) for (const flow of flows) flow.stop()
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
        passing.delete(one)
        one.server.removeAllListeners('close')
        one.server.destroy()
      }
    },
    hold: (match) => new Promise((resolve) => (held = { match, resolve })),
    restore() {
      state = 'open'
      Object.assign(weather, clear)
      for (const { flows } of all()) for (const flow of flows) flow.goOn()
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
