import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** Stands between control and a Redis server, which others still reach. */
export type RedisProxy = {
  readonly url: string
  /** Ends all connections, and new ones as they come. */
  cut(): void
  /** Passes on what control sends, and none of the answers: what was asked for is done, and control never hears of it. */
  swallowAnswers(): void
  /** New connections are as ever. Those that there are end: of what was swallowed nothing could be made any more. */
  restore(): void
  close(): Promise<void>
}

/** @param target `redis://127.0.0.1:<port>` */
export async function startRedisProxy(target: string): Promise<RedisProxy> {
  const { hostname, port } = new URL(target)
  const sockets = new Set<Socket>()
  let state: 'open' | 'cut' | 'swallowing' = 'open'
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
    redis.on('data', (bytes) => state !== 'swallowing' && client.write(bytes))
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
    swallowAnswers() {
      state = 'swallowing'
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
