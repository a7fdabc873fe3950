import { execFileSync } from 'node:child_process'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { RedisProgram } from './find-redis-server.ts'

export interface RedisOptions extends RedisAccess {
  /** 0 chooses a free port. */
  readonly port: number
  /**
   * The directory of the server's files; created if absent. Without one the server uses a temporary directory and
   * starts empty.
   */
  readonly dataDir?: string | null
  /**
   * True (the default with a `dataDir`): `appendonly yes`, `appendfsync everysec`. False: the server writes only when a
   * client sends SAVE, and loads a `dump.rdb` in `dataDir` at its start.
   */
  readonly persistence?: boolean
  /** More arguments of the program (`--maxmemory`, `100mb`). They override the defaults. */
  readonly args?: readonly string[]
  /** Environment variables, in addition to those of this process. */
  readonly variables?: Readonly<Record<string, string>>
  /** The program to run; null: the in-memory Redis in JavaScript. By default, the one that `findRedisServer` finds. */
  readonly program?: RedisProgram | null
  /** Whether this process may end, and so end the program, as soon as it has nothing else to do. */
  readonly unref?: boolean
}

export interface RunningRedis {
  /** `redis://127.0.0.1:<port>`, with password and TLS of {@link RedisAccess}. */
  readonly url: string
  readonly port: number
  readonly kind: 'redis-server' | 'valkey-server' | 'js-redis-server'
  readonly pid: number | null
  /** Whether its data survives a stop. */
  readonly isPersistent: boolean
  /** Resolves when the server has ended for any reason. Never rejects. */
  readonly ended: Promise<void>
  /**
   * Sends a signal to the server's process. Resolves when the process has ended, or is suspended by SIGSTOP; at once
   * for SIGCONT. `js-redis-server` has no process of its own: it closes on any signal that ends a process.
   */
  kill(signal: NodeJS.Signals): Promise<void>
  /** Stops the server as the command SHUTDOWN does, and resolves when it has ended. A second call does nothing. */
  stop(): Promise<void>
}

/** Absolute paths of PEM files. */
interface TlsFiles {
  /** The certificate of the authority. */
  readonly caFile: string
  readonly certFile: string
  readonly keyFile: string
}

/** The password and TLS files of a server. */
export interface RedisAccess {
  /** Password of the user `default`. */
  readonly password?: string | undefined
  /** If given, the server accepts TLS only. Clients need no certificate. */
  readonly tls?: TlsFiles | undefined
}

/** The start of a `REDIS_URL` up to the host. */
export function urlStart(form: '' | '+sentinel' | '+cluster', { password, tls }: RedisAccess): string {
  const credentials = password === undefined ? '' : `:${encodeURIComponent(password)}@`
  return `${tls === undefined ? 'redis' : 'rediss'}${form}://${credentials}`
}

/** The parameters of a `REDIS_URL`. Undefined ones are left out. */
export function urlParameters(parameters: Readonly<Record<string, string | undefined>>): string {
  const entries = Object.entries(parameters).filter((entry): entry is [string, string] => entry[1] !== undefined)
  return entries.length === 0 ? '' : `?${new URLSearchParams(entries)}`
}

/** The arguments that make a server or Sentinel require this access. */
export function accessArguments(port: number, { password, tls }: RedisAccess): string[] {
  const secret = password === undefined ? [] : ['--requirepass', password]
  if (tls === undefined) return ['--port', String(port), ...secret]
  return [
    ...['--port', '0', '--tls-port', String(port), '--tls-auth-clients', 'no'],
    ...['--tls-cert-file', tls.certFile, '--tls-key-file', tls.keyFile, '--tls-ca-cert-file', tls.caFile],
    ...['--tls-replication', 'yes', '--tls-cluster', 'yes'],
    ...secret
  ]
}

/** The process of a node: a server or a Sentinel. */
interface Running {
  readonly pid: number | null
  kill(signal: NodeJS.Signals): Promise<void>
  stop(): Promise<void>
}

/** A server or Sentinel that can be killed and started again at its port, with its files. */
export interface RedisNode {
  readonly port: number
  /** The directory of its files: `dump.rdb`, `nodes.conf`, `sentinel.conf`. */
  readonly directory: string
  /** The id of the latest process. */
  pid(): number
  /** Sends a signal to its process: see `RunningRedis`. */
  kill(signal: NodeJS.Signals): Promise<void>
  /** Starts it again after it has ended. Without persistence it is empty then, unless there is a `dump.rdb`. */
  start(): Promise<void>
  /** Stops it with SIGTERM. A second call does nothing. */
  stop(): Promise<void>
}

/** @param start starts the process in `directory`, which exists by then */
export async function startNode(port: number, directory: string, start: () => Promise<Running>): Promise<RedisNode> {
  await mkdir(directory, { recursive: true })
  let running = await start()
  return {
    port,
    directory,
    pid: () => running.pid ?? 0,
    kill: (signal) => running.kill(signal),
    async start() {
      running = await start()
    },
    stop: () => running.stop()
  }
}

/**
 * Makes a self-signed certificate for servers on this machine (`127.0.0.1`, `localhost`). It expires after a day.
 *
 * @param directory an existing directory, which gets `certificate.pem` and `key.pem`
 * @returns null if OpenSSL is not installed
 */
export function makeCertificate(directory: string): TlsFiles | null {
  const certFile = join(directory, 'certificate.pem')
  const keyFile = join(directory, 'key.pem')
  const subject = ['-subj', '/CN=Tollgate test', '-addext', 'subjectAltName=IP:127.0.0.1,DNS:localhost']
  const algorithm = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes']
  const files = ['-keyout', keyFile, '-out', certFile]
  try {
    execFileSync('openssl', ['req', '-x509', '-days', '1', ...algorithm, ...subject, ...files], { stdio: 'pipe' })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw error
  }
  return { caFile: certFile, certFile, keyFile }
}
