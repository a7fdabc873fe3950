import { once } from 'node:events'
import type { Socket } from 'node:net'
import { createRedisCommandExecutor, Resp2Server } from 'js-redis-server/core'
import { isAddressInUse, PortTakenError } from '../port-taken-error.ts'
import { JsRedisState } from './js-redis-state.ts'
import { reportRunId } from './report-run-id.ts'
import type { RedisOptions, RunningRedis } from './running-redis.ts'

const survivable: ReadonlySet<NodeJS.Signals> = new Set(['SIGSTOP', 'SIGCONT'])

/**
 * Starts `js-redis-server` in this process: an in-memory Redis without a password, whose data is lost when it stops.
 *
 * Built from the package's core, because the package's `createRedisServer` listens on every interface.
 *
 * @throws PortTakenError if another program uses the port
 */
export async function startJsRedis(
  port: number,
  { args = [], password, tls }: Omit<RedisOptions, 'port'>
): Promise<RunningRedis> {
  if (password !== undefined || tls !== undefined)
    throw new Error('js-redis-server supports neither a password nor TLS.')
  if (args.length > 0) throw new Error(`js-redis-server does not support the arguments ${args.join(' ')}.`)
  const resp = new Resp2Server({
    server: new JsRedisState(16),
    executor: createRedisCommandExecutor({ policies: [reportRunId()] })
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
      if (survivable.has(signal))
        throw new Error(`js-redis-server has no process of its own, so it cannot receive ${signal}.`)
      await stop()
    },
    stop
  }
}

/**
 * Closes connections that do not begin with a RESP array. The package would run lines of text as commands, also those in
 * the body of an HTTP request, which any web page can send. redis-server closes such connections, too.
 */
function refuseText(socket: Socket): void {
  const { read } = socket
  // The package calls `read` itself, so a listener for `data` could not stop the first bytes.
  socket.read = (size?: number): Buffer | null => {
    const bytes: Buffer | null = Reflect.apply(read, socket, [size])
    if (bytes === null) return null
    socket.read = read
    if (bytes[0] === 0x2a) return bytes
    socket.destroy()
    return null
  }
}
