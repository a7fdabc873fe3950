import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { startChild } from '../child/child.ts'
import type { RedisProgram } from './find-redis-server.ts'
import { accessArguments, urlParameters, urlStart } from './redis-access.ts'
import type { RedisOptions, RunningRedis } from './running-redis.ts'
import { untilServerReady } from './until-redis.ts'

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
