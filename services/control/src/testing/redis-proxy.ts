import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** A proxy between control and a Redis server, which stays reachable for others. */
export interface RedisProxy {
  readonly url: string
  /** Ends all connections, and new ones at once. */
  cut(): void
  /** Passes on control's commands, but no answers: Redis executes the commands, and control does not learn of it. */
  dropAnswers(): void
  /** Passes everything again on new connections. Ends present ones, whose answers are incomplete. */
  restore(): void
  close(): Promise<void>
}

/** @param target `redis://127.0.0.1:<port>` */
export async function startRedisProxy(target: string): Promise<RedisProxy> {
  const { hostname, port } = new URL(target)
  const sockets = new Set<Socket>()
  let state: 'open' | 'cut' | 'dropping' = 'open'
  const server = createServer((client) => {
    const redis = connect(Number(port), hostname)
    for (const [socket, other] of [
      [client, redis],
      [redis, client]
    ] as const) {
      sockets.add(socket)
      socket.on('error', () => undefined)
      socket.on('close', () => {
        sockets.delete(socket)
        other.destroy()
      })
    }
    client.on('data', (bytes) => redis.write(bytes))
    redis.on('data', (bytes) => state !== 'dropping' && client.write(bytes))
    if (state === 'cut') client.destroy()
  })
  const endAll = () => {
    for (const socket of sockets) socket.destroy()
  }
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `redis://127.0.0.1:${(server.address() as AddressInfo).port}`,
    cut() {
      state = 'cut'
      endAll()
    },
    dropAnswers() {
      state = 'dropping'
    },
    restore() {
      state = 'open'
      endAll()
    },
    async close() {
      endAll()
      server.close()
      await once(server, 'close')
    }
  }
}

/** Starts a proxy to a server that can stop passing bytes on, or end connections, as a broken network does. */
export async function startFreezable(serverUrl: string) {
  const { port } = new URL(serverUrl)
  const sockets = new Set<Socket>()
  const server = createServer((client) => {
    if (isCut) return void client.destroy()
    const upstream = connect(Number(port), '127.0.0.1')
    for (const [from, to] of [
      [client, upstream],
      [upstream, client]
    ] as const) {
      sockets.add(from)
      from.pipe(to)
      from.on('error', () => to.destroy())
      from.on('close', () => {
        sockets.delete(from)
        to.destroy()
      })
      if (isFrozen) from.pause()
    }
  })
  let isFrozen = false
  let isCut = false
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    through(url: string): string {
      const own = new URL(url)
      own.port = String((server.address() as { port: number }).port)
      return own.href
    },
    freeze() {
      isFrozen = true
      for (const socket of sockets) socket.pause()
    },
    thaw() {
      isFrozen = isCut = false
      for (const socket of sockets) socket.resume()
    },
    /** Ends all connections, and new ones at once, until {@link thaw}. */
    cut() {
      isCut = true
      for (const socket of sockets) socket.destroy()
    },
    close() {
      for (const socket of sockets) socket.destroy()
      server.close()
    }
  }
}
