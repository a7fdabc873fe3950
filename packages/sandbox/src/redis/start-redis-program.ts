import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { type Child, startChild } from '../child/child.ts'
import { PortTakenError } from '../port-taken-error.ts'
import { askRedisInfo } from './ask-redis-info.ts'
import type { RedisProgram } from './find-redis-server.ts'
import type { RedisOptions, RunningRedis } from './start-redis.ts'

const readyLimitMs = 30_000
const retryMs = 10

/** Starts `redis-server` or `valkey-server` as a child process on `port`. Options and errors as of `startRedis`. */
export async function startRedisProgram(
  program: RedisProgram,
  port: number,
  options: Omit<RedisOptions, 'port'>
): Promise<RunningRedis> {
  const { dataDir = null, persistence = dataDir !== null, args = [] } = options
  const temporaryDirectory = dataDir === null ? await mkdtemp(join(tmpdir(), 'tollgate-redis-')) : null
  const directory = resolve(dataDir ?? temporaryDirectory ?? '')
  const removeTemporary = async () => {
    if (temporaryDirectory !== null) await rm(temporaryDirectory, { recursive: true, force: true })
  }
  try {
    await mkdir(directory, { recursive: true })
    const child = await startChild({
      command: program.path,
      args: [...serverArguments(port, directory, persistence), ...args],
      cwd: directory,
      stopSignal: 'SIGTERM',
      temporaryDirectory
    })
    try {
      await untilReady(child, port)
    } catch (error) {
      await child.kill('SIGKILL')
      throw error
    }
    return {
      url: `redis://127.0.0.1:${port}`,
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

function serverArguments(port: number, directory: string, persistence: boolean): string[] {
  const append = persistence ? ['--appendonly', 'yes', '--appendfsync', 'everysec'] : ['--appendonly', 'no']
  // No RDB snapshots by themselves: with the append-only file they would only be a second copy.
  return ['--port', String(port), '--bind', '127.0.0.1', '--dir', directory, '--save', '', ...append]
}

/** Resolves when the child itself, and not another server on its port, answers and has loaded its data. */
async function untilReady(child: Child, port: number): Promise<void> {
  const deadline = performance.now() + readyLimitMs
  while (performance.now() < deadline) {
    const info = await Promise.race([askRedisInfo(port), child.ended.then(() => null)])
    if (info?.get('process_id') === String(child.pid) && info.get('loading') === '0') return
    // The end of the process ends the wait early.
    await Promise.race([child.ended, new Promise((resolve) => setTimeout(resolve, retryMs))])
    if (!child.isRunning()) {
      if (child.output().includes('Address already in use')) throw new PortTakenError(port)
      throw new Error(`The Redis server ended before it was ready. Its last lines:\n${child.output()}`)
    }
  }
  throw new Error(`The Redis server was not ready after ${readyLimitMs / 1000} s. Its last lines:\n${child.output()}`)
}
