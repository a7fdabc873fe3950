import { chownSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { startChild } from '@tollgate/sandbox/child/child.ts'
import { findProgram } from '@tollgate/sandbox/find-program.ts'
import { freePort } from '@tollgate/sandbox/free-port.ts'
import { findUser } from '@tollgate/sandbox/postgres/find-postgres.ts'
import type { Pooler } from './servers.ts'

const readyTimeoutMs = 10_000

/** Finds pgbouncer; null if it is not installed. */
export const findPgbouncer = () => findProgram(['pgbouncer'])

/** Starts a pooler in transaction mode. Transactions share a few connections, so no session state lasts. */
export async function startPgbouncer(databaseUrl: string, directory: string): Promise<Pooler> {
  const { hostname, port: databasePort, username, pathname } = new URL(databaseUrl)
  const port = await freePort()
  const file = join(directory, 'pgbouncer.ini')
  const users = join(directory, 'users.txt')
  writeFileSync(users, `"${username}" ""\n`)
  const database = pathname.slice(1)
  const lines = [
    '[databases]',
    `${database} = host=${hostname} port=${databasePort} dbname=${database}`,
    '[pgbouncer]',
    'listen_addr = 127.0.0.1',
    `listen_port = ${port}`,
    `unix_socket_dir =`,
    'auth_type = trust',
    `auth_file = ${users}`,
    'pool_mode = transaction',
    'default_pool_size = 5'
  ]
  writeFileSync(file, `${lines.join('\n')}\n`)
  // Like PostgreSQL, it refuses to run as root.
  const user = process.getuid?.() === 0 ? (findUser('postgres') ?? undefined) : undefined
  if (user !== undefined) for (const path of [directory, file, users]) chownSync(path, user.uid, user.gid)
  const child = await startChild({
    command: findPgbouncer()!,
    args: [file],
    cwd: directory,
    user,
    stopSignal: 'SIGINT',
    temporaryDirectory: null
  })
  const deadline = performance.now() + readyTimeoutMs
  while (!(await isListening(port))) {
    if (!child.isRunning() || performance.now() > deadline)
      throw new Error(`pgbouncer did not start:\n${child.output()}`)
    await delay(20)
  }
  const url = new URL(databaseUrl)
  url.port = String(port)
  return { url: url.href, stop: child.stop }
}

function isListening(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false))
    socket.once('connect', () => socket.destroy())
  })
}
