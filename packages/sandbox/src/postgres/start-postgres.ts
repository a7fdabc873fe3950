import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { chmodSync, chownSync, cpSync, mkdirSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs'
import { chown, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { type Child, startChild } from '../child/child.ts'
import { PortTakenError, startOnPort } from '../free-port.ts'
import { findPostgres, findUser } from './find-postgres.ts'

const readyTimeoutMs = 60_000
const retryMs = 10
const run = promisify(execFile)
const cacheDirectory = fileURLToPath(new URL('../../node_modules/.cache/', import.meta.url))
const options = ['-U', 'postgres', '--auth=trust', '--encoding=UTF8', '--locale=C', '--no-sync']

export interface PostgresOptions {
  /** Whether commits reach the disk; false unless given. Then only a crash of the machine can lose them. */
  readonly fsync?: boolean
  /** The parent of the data directory; the system's temporary directory unless given. */
  readonly parent?: string
  /** Environment variables, in addition to those of this process. */
  readonly variables?: Readonly<Record<string, string>>
  /** More settings by name, such as `{ max_connections: '300' }`. */
  readonly settings?: Readonly<Record<string, string>>
  /** Whether this process may end, and so end the server, as soon as it has nothing else to do. */
  readonly unref?: boolean
}

export interface RunningPostgres {
  /** `postgres://postgres@127.0.0.1:<port>/postgres`: the superuser, without a password. */
  readonly url: string
  /**
   * Sends a signal to the server's main process: SIGINT closes the connections and stops, SIGTERM waits for the last
   * client and stops, SIGKILL is a crash. Resolves when the server has ended, or is suspended by SIGSTOP; at once for
   * SIGCONT.
   */
  kill(signal: NodeJS.Signals): Promise<void>
  /** Stops the server if it runs, and starts it again with the same data and port. */
  restart(): Promise<void>
  /** Stops the server and removes its data. A second call does nothing. */
  stop(): Promise<void>
}

/**
 * Starts an empty PostgreSQL server for a test, on a free port of 127.0.0.1 and in a temporary directory. It ends with
 * this process at the latest. PostgreSQL refuses to run as root, so root runs it as the system user `postgres`.
 *
 * @returns null if PostgreSQL is not installed
 * @throws Error with the server's last lines if it does not start
 */
export async function startPostgres({
  fsync = false,
  parent = tmpdir(),
  variables,
  settings = {},
  unref
}: PostgresOptions = {}): Promise<RunningPostgres | null> {
  const programs = findPostgres(process.env)
  if (programs === null) return null
  const directory = await mkdtemp(join(parent, 'tollgate-postgres-'))
  const remove = () => rm(directory, { recursive: true, force: true })
  try {
    const user = userForServer()
    if (user !== undefined) await chown(directory, user.uid, user.gid)
    const data = join(directory, 'data')
    await createCluster(data, programs, user)
    const sync = fsync ? {} : { fsync: 'off', full_page_writes: 'off' }
    const all = { listen_addresses: '127.0.0.1', unix_socket_directories: directory, ...sync, ...settings }
    const startServer = async (port: number) => {
      const args = [
        '-D',
        data,
        '-p',
        String(port),
        ...Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`])
      ]
      const command = join(programs, 'postgres')
      const child = await startChild({
        command,
        args,
        cwd: directory,
        variables,
        user,
        stopSignal: 'SIGINT',
        temporaryDirectory: directory,
        unref
      })
      await untilReady(child, join(data, 'postmaster.pid'), port)
      return { child, port }
    }

    const first = await startOnPort(0, startServer)
    let { child } = first
    return {
      url: `postgres://postgres@127.0.0.1:${first.port}/postgres`,
      kill: (signal) => child.kill(signal),
      async restart() {
        await child.stop()
        child = (await startServer(first.port)).child
      },
      async stop() {
        await child.stop()
        await remove()
      }
    }
  } catch (error) {
    await remove()
    throw error
  }
}

function userForServer(): { uid: number; gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined
  const user = findUser('postgres')
  if (user === null) throw new Error('PostgreSQL does not run as root, and this system has no user "postgres".')
  return user
}

/** Waits as `pg_ctl -w` does: the eighth line of the lock file tells when the server accepts connections. */
async function untilReady(child: Child, lockFile: string, port: number): Promise<void> {
  const deadline = performance.now() + readyTimeoutMs
  while (performance.now() < deadline) {
    const lines = (await readFile(lockFile, 'utf8').catch(() => '')).split('\n')
    if (lines[0] === String(child.pid) && lines[7]?.trim() === 'ready') return
    await Promise.race([child.ended, new Promise((resolve) => setTimeout(resolve, retryMs))])
    if (!child.isRunning()) {
      if (child.output().includes('Address already in use')) throw new PortTakenError(port)
      throw new Error(`PostgreSQL ended before it was ready. Its last lines:\n${child.output()}`)
    }
  }
  await child.kill('SIGKILL')
  throw new Error(`PostgreSQL was not ready after ${readyTimeoutMs / 1000} s. Its last lines:\n${child.output()}`)
}

/**
 * Creates the data directory of an empty PostgreSQL server, in a directory that `user` can write to. The first result
 * of `initdb` is cached beside the dependencies and copied later, which takes a quarter of the time.
 *
 * @param programs the directory of `initdb`
 * @param user the owner of the files; the user of this process if undefined
 */
async function createCluster(
  data: string,
  programs: string,
  user: { uid: number; gid: number } | undefined
): Promise<void> {
  const cached = join(cacheDirectory, `postgres-${hashPrograms(programs)}`)
  if (copyCached(cached, data)) {
    if (user !== undefined) changeOwner(data, user)
    return
  }
  await run(join(programs, 'initdb'), ['-D', data, ...options], { cwd: dirname(data), ...user })
  cache(data, cached)
}

/**
 * Identifies the installed PostgreSQL, as another version has another format. An update changes the file's size or
 * time.
 */
function hashPrograms(programs: string): string {
  const { size, mtimeMs } = statSync(join(programs, 'postgres'))
  return createHash('sha256')
    .update(JSON.stringify([programs, size, mtimeMs, options]))
    .digest('hex')
    .slice(0, 16)
}

/** @returns whether the cache had a copy */
function copyCached(cached: string, data: string): boolean {
  try {
    cpSync(cached, data, { recursive: true })
    // The server refuses a directory that others can read.
    chmodSync(data, 0o700)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false
    throw error
  }
}

function cache(data: string, cached: string): void {
  const own = `${cached}.${process.pid}`
  mkdirSync(cacheDirectory, { recursive: true })
  cpSync(data, own, { recursive: true })
  try {
    renameSync(own, cached)
  } catch {
    // Another process was faster: a rename only replaces an empty directory.
    rmSync(own, { recursive: true })
  }
}

function changeOwner(directory: string, { uid, gid }: { uid: number; gid: number }): void {
  chownSync(directory, uid, gid)
  for (const entry of readdirSync(directory, { withFileTypes: true })) {
    const path = join(directory, entry.name)
    if (entry.isDirectory()) changeOwner(path, { uid, gid })
    else chownSync(path, uid, gid)
  }
}
