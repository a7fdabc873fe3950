import { execFileSync } from 'node:child_process'
import { statSync } from 'node:fs'
import { basename, delimiter, isAbsolute, join } from 'node:path'
import { isProgram } from '../find-program.ts'

export interface RedisProgram {
  readonly kind: 'redis-server' | 'valkey-server'
  /** Absolute path of the program. */
  readonly path: string
  /** For example `7.2.4`. */
  readonly version: string
}

/** The first version that knows script flags (`#!lua flags=…`). */
export const minRedisVersion = '7.0'

/**
 * Finds a Redis server on this machine: the program that `REDIS_SERVER_PATH` names, else `redis-server` and then
 * `valkey-server` on `PATH`. Programs older than {@link minRedisVersion} are skipped.
 *
 * @returns null if the machine has no such program
 * @throws Error if `REDIS_SERVER_PATH` is set but names no usable program
 */
export function findRedisServer(env: Record<string, string | undefined>): RedisProgram | null {
  const named = env.REDIS_SERVER_PATH
  if (named !== undefined && named !== '') return examineNamed(named)
  const directories = (env.PATH ?? '').split(delimiter).filter(isAbsolute)
  for (const kind of ['redis-server', 'valkey-server'] as const) {
    for (const directory of directories) {
      const path = join(directory, kind)
      const version = isProgram(path) ? readVersion(path) : null
      if (version !== null && isRecentEnough(version)) return { kind, path, version }
    }
  }
  return null
}

function examineNamed(path: string): RedisProgram {
  if (!isAbsolute(path) || !isProgram(path)) {
    throw new Error(`REDIS_SERVER_PATH: ${path} is not the absolute path of a program.`)
  }
  const version = readVersion(path)
  if (version === null) throw new Error(`REDIS_SERVER_PATH: ${path} does not print its version as a Redis server does.`)
  if (!isRecentEnough(version)) {
    throw new Error(`REDIS_SERVER_PATH: ${path} is version ${version}; ${minRedisVersion} or later is needed.`)
  }
  return { kind: basename(path).startsWith('valkey') ? 'valkey-server' : 'redis-server', path, version }
}

/** By path and time of the program. To start it takes as long as a short test. */
const versions = new Map<string, string | null>()

function readVersion(path: string): string | null {
  const key = `${path} ${statSync(path).mtimeMs}`
  const cachedVersion = versions.get(key)
  if (cachedVersion !== undefined) return cachedVersion
  const version = askVersion(path)
  versions.set(key, version)
  return version
}

function askVersion(path: string): string | null {
  try {
    const text = execFileSync(path, ['--version'], {
      encoding: 'utf8',
      timeout: 5_000,
      stdio: ['ignore', 'pipe', 'ignore']
    })
    return /\bv=(\d+\.\d+(?:\.\d+)?)/.exec(text)?.[1] ?? null
  } catch {
    return null
  }
}

function isRecentEnough(version: string): boolean {
  return Number.parseInt(version, 10) >= Number.parseInt(minRedisVersion, 10)
}
