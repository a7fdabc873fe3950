import { once } from 'node:events'
import type { Socket } from 'node:net'
import { createRedisCommandExecutor, RedisServerState, Resp2Server } from 'js-redis-server/core'
import { isAddressInUse, PortTakenError } from '../port-taken-error.ts'
import type { RedisOptions, RunningRedis } from './start-redis.ts'

const survivable: ReadonlySet<NodeJS.Signals> = new Set(['SIGSTOP', 'SIGCONT'])

/**
 * Starts `js-redis-server` in this process on `port`. It keeps nothing, lets everybody in, and takes no arguments of a Redis program.
 *
 * It is put together from the package's core: the package's own `createRedisServer` listens on every interface.
 *
 * @throws PortTakenError when another program has the port
 */
export async function startJsRedis(
  port: number,
  { args = [], password, tls }: Omit<RedisOptions, 'port'>
): Promise<RunningRedis> {
  if (password !== undefined || tls !== undefined) throw new Error('js-redis-server knows neither password nor TLS.')
  if (args.length > 0) throw new Error(`js-redis-server does not take the arguments ${args.join(' ')}.`)
  const resp = new Resp2Server({
    server: new RedisServerState({ databaseCount: 16 }),
    executor: createRedisCommandExecutor()
  })
  const sockets = new Set<Socket>()
  resp.server.on('connection', (socket) => {
    refuseText(socket)
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  try {
    resp.server.listen(port, '127.0.0.1')
    await once(resp.server, 'listening')
  } catch (error) {
    throw isAddressInUse(error) ? new PortTakenError(port) : error
  }

  const ended = once(resp.server, 'close').then(() => undefined)
  let stopping: Promise<void> | null = null
  const stop = () => {
    stopping ??= (async () => {
      const closed = resp.close()
      for (const socket of sockets) socket.destroy()
      await closed
    })()
    return stopping
  }
  return {
    url: `redis://127.0.0.1:${port}`,
    port,
    kind: 'js-redis-server',
    pid: null,
    isPersistent: false,
    ended,
    async kill(signal) {
      if (survivable.has(signal)) throw new Error(`js-redis-server has no process to send ${signal} to.`)
      await stop()
    },
    stop
  }
}

/**
 * Ends connections that do not begin with a RESP array. The package would run lines of text, and so the commands in the
 * body of an HTTP request, which any web page can send here. redis-server ends such connections too.
 */
function refuseText(socket: Socket): void {
  const { read } = socket
  // The package takes its bytes by `read`; no listener of ours can keep the first ones from it.
  socket.read = (size?: number): Buffer | null => {
    const bytes: Buffer | null = Reflect.apply(read, socket, [size])
    if (bytes === null) return null
    socket.read = read
    if (bytes[0] === 0x2a) return bytes
    socket.destroy()
    return null
  }
}
