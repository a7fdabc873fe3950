import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import type { Socket } from 'node:net'
import {
  createRedisCommandExecutor,
  type RedisDatabase,
  type RedisDataValue,
  type RedisKeyspace,
  type RedisLuaRuntime,
  RedisResult,
  RedisServerState,
  RedisValue,
  Resp2Server
} from 'js-redis-server/core'
import { portFailure } from '../free-port.ts'
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
    throw portFailure(error, port)
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

/** What the events of writes carry as the value. Their listeners only look whether a key changed. */
const anyValue = { type: 'string', value: Buffer.alloc(0) } as const

/** Has no line break, so that errors keep the script's line numbers. */
const prelude = [
  'local string = setmetatable({',
  "format = function(text, ...) return string.format(string.gsub(text, '%%d', '%%.0f'), ...) end",
  '}, { __index = string }) '
].join(' ')

/**
 * Closes connections that do not begin with a RESP array. The package would run lines of text as commands, also those
 * in the body of an HTTP request, which any web page can send. redis-server closes such connections, too.
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

type Policies = NonNullable<NonNullable<Parameters<typeof createRedisCommandExecutor>[0]>['policies']>

/**
 * Adds to INFO what `js-redis-server` leaves out: `run_id`, a new one for each server, and `maxmemory_policy`. Redis
 * has both. By the run id a client notices that it reached another process, which has other data.
 */
function reportRunId(): Policies[number] {
  const runId = randomBytes(20).toString('hex')
  return {
    name: 'report-run-id',
    afterExecute({ definition }, _context, result) {
      if (definition.name !== 'info' || result.value.kind !== 'bulk-string' || result.value.value === null)
        return result
      const info = result.value.value
        .toString()
        .replace('# Server\r\n', `# Server\r\nrun_id:${runId}\r\n`)
        .replace('# Memory\r\n', '# Memory\r\nmaxmemory_policy:noeviction\r\n')
      return RedisResult.create(RedisValue.bulkString(Buffer.from(info)), result.options)
    }
  }
}

/**
 * Lets a database of `js-redis-server` read values in place.
 *
 * The package copies the whole value before each command that reads it, and again for each listener after each write: a
 * command for one field of a hash takes as long as the hash is large. The commands of the package build their replies
 * at once and replace buffers instead of changing them, so they need no copy.
 *
 * Notifications of a class of values (`notify-keyspace-events`) do not work then.
 */
function readInPlace(database: RedisDatabase): void {
  const keyspace: RedisKeyspace = Reflect.get(database, 'keyspace')
  keyspace.get = (key) => {
    const type = keyspace.getType(key)
    return type === null
      ? null
      : keyspace.update<RedisDataValue, RedisDataValue>(key, type, notNeeded, (value) => value)
  }
  const { mutations } = database
  const emit = mutations.emit.bind(mutations)
  mutations.emit = (event) => emit(event.type === 'write' ? { ...event, value: anyValue } : event)
}

function notNeeded(): never {
  throw new Error('Only values that exist are read.')
}

/**
 * The state of a `js-redis-server` that reads values in place, and whose Lua runs scripts as Redis 7 does. Its Lua
 * lacks two things:
 *
 * - It rejects the first line `#!lua flags=…`. The flags are ignored here: it has neither `maxmemory` nor replicas.
 * - `%d` of its `string.format` writes integers of 32 bits only. `%.0f` writes larger ones, too.
 *
 * A script keeps its SHA-1, because only the text that runs is changed.
 */
class JsRedisState extends RedisServerState {
  #runtime: Promise<RedisLuaRuntime> | null = null

  constructor(databaseCount: number) {
    super({ databaseCount })
    for (let id = 0; id < databaseCount; id++) readInPlace(this.getDatabase(id))
  }

  override getLuaRuntime(): Promise<RedisLuaRuntime> {
    this.#runtime ??= super.getLuaRuntime().then(runRedis7Scripts)
    return this.#runtime
  }
}

function runRedis7Scripts(runtime: RedisLuaRuntime): RedisLuaRuntime {
  const runScript = runtime.eval.bind(runtime)
  // By text: the package passes a copy each time that a client names a script by its SHA-1.
  const adapted = new Map<string, Buffer>()
  runtime.eval = (script, ...rest) => {
    // Latin-1 keeps each byte as it is.
    const text = script.toString('latin1')
    const known = adapted.get(text) ?? adaptScript(text)
    adapted.set(text, known)
    return runScript(known, ...rest)
  }
  return runtime
}

/** Comments go because each run hashes and compiles the whole text. */
function adaptScript(script: string): Buffer {
  const text = script.replace(/^#!lua.*/, '').replace(/^[ \t]*(?:--.*)?/gm, '')
  return Buffer.from(prelude + text, 'latin1')
}
