import { existsSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Child, startChild } from '../child/child.ts'
import type { RedisProgram } from './find-redis-server.ts'
import { accessArguments, type RedisAccess } from './redis-access.ts'
import { untilServerReady } from './until-redis.ts'

export interface SentinelOptions extends RedisAccess {
  readonly port: number
  /** An existing directory for `sentinel.conf`, in which a Sentinel also stores what it learns. */
  readonly directory: string
  /** The lines of a new `sentinel.conf`. */
  readonly settings: readonly string[]
}

/** Starts a Sentinel on 127.0.0.1 and resolves when it answers. It ends with this process at the latest. */
export async function startSentinel(program: RedisProgram, options: SentinelOptions): Promise<Child> {
  const { port, directory, settings } = options
  const file = join(directory, 'sentinel.conf')
  if (!existsSync(file)) await writeFile(file, `${settings.join('\n')}\n`)
  const child = await startChild({
    command: program.path,
    args: [file, '--sentinel', ...accessArguments(port, options), '--bind', '127.0.0.1', '--dir', directory],
    cwd: directory,
    stopSignal: 'SIGTERM',
    temporaryDirectory: null
  })
  try {
    await untilServerReady(child, port, options)
  } catch (error) {
    await child.kill('SIGKILL')
    throw error
  }
  return child
}
