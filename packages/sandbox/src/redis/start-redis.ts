import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { startChild } from '../child/child.ts'
import { startOnPort } from '../free-port.ts'
import { findRedisServer, type RedisProgram } from './find-redis-server.ts'
import { accessArguments, type RedisOptions, type RunningRedis, urlParameters, urlStart } from './running-redis.ts'
import { startJsRedis } from './start-in-memory-redis.ts'
import { untilServerReady } from './until-redis.ts'

/**
 * Starts a Redis server on 127.0.0.1 and resolves when it answers. The server ends with this process at the latest.
 *
 * @throws PortTakenError if another program uses the port
 * @throws Error with the server's last lines if it does not start
 */
export async function startRedis(options: RedisOptions): Promise<RunningRedis> {
  const { program = findRedisServer(process.env) } = options
  if (options.persistence === true && (options.dataDir ?? null) === null) {
    throw new Error('A persistent Redis needs a dataDir.')
  }
  return startOnPort(options.port, (port) =>
    program === null ? startJsRedis(port, options) : startRedisProgram(program, port, options)
  )
}

/** Starts `redis-server` or `valkey-server` as a child process. Options and errors are those of `startRedis`. */
export async function startRedisProgram(
  program: RedisProgram,
  port: number,
  options: Omit<RedisOptions, 'port'>
): Promise<RunningRedis> {
  const { dataDir = null, persistence = dataDir !== null, args = [], variables, unref } = options
  const temporaryDirectory = dataDir === null ? await mkdtemp(join(tmpdir(), 'tollgate-redis-')) : null
  const directory = resolve(dataDir ?? temporaryDirectory ?? '')
  const removeTemporary = async () => {
    if (temporaryDirectory !== null) await rm(temporaryDirectory, { recursive: true, force: true })
  }
  try {
    await mkdir(directory, { recursive: true })
    const child = await startChild({
      command: program.path,
      args: [...accessArguments(port, options), ...serverArguments(directory, persistence), ...args],
      cwd: directory,
      variables,
      stopSignal: 'SIGTERM',
      temporaryDirectory,
      unref
    })
    try {
      await untilServerReady(child, port, options)
    } catch (error) {
      await child.kill('SIGKILL')
      throw error
    }
    const { caFile } = options.tls ?? {}
    return {
      url: `${urlStart('', options)}127.0.0.1:${port}${urlParameters({ ssl_ca_certs: caFile })}`,
      port,
      kind: program.kind,
      pid: child.pid,
      isPersistent: persistence,
      ended: child.ended.then(() => removeTemporary()),
      kill: child.kill,
      async stop() {
        await child.stop()
        await removeTemporary()
      }
    }
  } catch (error) {
    await removeTemporary()
    throw error
  }
}

function serverArguments(directory: string, persistence: boolean): string[] {
  const append = persistence ? ['--appendonly', 'yes', '--appendfsync', 'everysec'] : ['--appendonly', 'no']
  // No automatic RDB snapshots: they would be a second copy beside the append-only file.
  return ['--bind', '127.0.0.1', '--dir', directory, '--save', '', ...append]
}
