import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Child, startChild } from '../child/child.ts'
import { freePort } from '../free-port.ts'
import type { RedisProgram } from './find-redis-server.ts'
import {
  accessArguments,
  type RedisAccess,
  type RedisNode,
  startNode,
  urlParameters,
  urlStart
} from './running-redis.ts'
import { startRedisProgram } from './start-redis.ts'
import { untilInfo, untilServerReady } from './until-redis.ts'

export interface ReplicatedOptions extends RedisAccess {
  readonly program: RedisProgram
  /** Number of replicas; 1 unless given. */
  readonly replicas?: number
  /** Number of Sentinels; 3 unless given. A majority must see that the master is down. */
  readonly sentinels?: number
  /** Password of the Sentinels; none unless given. */
  readonly sentinelPassword?: string
  /** `down-after-milliseconds` of the Sentinels; 500 unless given. */
  readonly downAfterMs?: number
  /** Whether the servers write an append-only file; false unless given. */
  readonly persistence?: boolean
  /** More arguments for every server (`--min-replicas-to-write`, `1`). */
  readonly args?: readonly string[]
}

export interface ReplicatedRedis {
  /** A `REDIS_URL` that names the Sentinels. */
  readonly url: string
  /** The first one is the master at the start. */
  readonly servers: readonly RedisNode[]
  readonly sentinels: readonly RedisNode[]
  /** Stops all processes and removes their files. */
  stop(): Promise<void>
}

const masterName = 'tollgate'
const host = '127.0.0.1'

/**
 * Starts a master, its replicas and Sentinels. Resolves when the replicas are in sync and the Sentinels know all
 * others. All processes end with this one at the latest.
 */
export async function startReplicatedRedis(options: ReplicatedOptions): Promise<ReplicatedRedis> {
  const { program, replicas = 1, sentinels: sentinelCount = 3, password, tls, args = [], persistence = false } = options
  const access = { password, tls }
  const sentinelAccess = { password: options.sentinelPassword, tls }
  const directory = await mkdtemp(join(tmpdir(), 'tollgate-replicated-'))
  const nodes: RedisNode[] = []
  const stop = async () => {
    await Promise.all(nodes.map((node) => node.stop()))
    await rm(directory, { recursive: true, force: true })
  }
  try {
    const [masterPort, ...replicaPorts] = (await freePorts(1 + replicas)) as [number, ...number[]]
    const serve = async (port: number, role: readonly string[]) => {
      const dataDir = join(directory, String(port))
      // The certificate names this address. Without the delay of 5 s (the default), a new replica is in sync at once.
      const own = ['--replica-announce-ip', host, '--repl-diskless-sync-delay', '0']
      const secret = password === undefined ? [] : ['--masterauth', password]
      const all = { ...access, dataDir, persistence, args: [...own, ...secret, ...role, ...args] }
      const node = await startNode(port, dataDir, () => startRedisProgram(program, port, all))
      nodes.push(node)
      return node
    }
    const master = await serve(masterPort, [])
    const others = await Promise.all(replicaPorts.map((port) => serve(port, ['--replicaof', `${host} ${masterPort}`])))
    await untilInfo(masterPort, access, 'replicated', (info) =>
      replicaPorts.every((_port, index) => info.get(`slave${index}`)?.includes('state=online') === true)
    )

    const sentinelPorts = await freePorts(sentinelCount)
    const ids = sentinelPorts.map(() => randomBytes(20).toString('hex'))
    const sentinels = await Promise.all(
      sentinelPorts.map(async (port, index) => {
        const folder = join(directory, String(port))
        const settings = sentinelSettings(options, masterPort, ids[index]!, [
          ...replicaPorts.map((replica) => `sentinel known-replica ${masterName} ${host} ${replica}`),
          ...sentinelPorts.flatMap((other, number) =>
            number === index ? [] : `sentinel known-sentinel ${masterName} ${host} ${other} ${ids[number]}`
          )
        ])
        const all = { ...sentinelAccess, port, directory: folder, settings }
        const node = await startNode(port, folder, () => startSentinel(program, all))
        nodes.push(node)
        return node
      })
    )
    const addresses = sentinelPorts.map((port) => `${host}:${port}`).join(',')
    const parameters = urlParameters({ sentinel_password: options.sentinelPassword, ssl_ca_certs: tls?.caFile })
    const url = `${urlStart('+sentinel', access)}${addresses}/${masterName}${parameters}`
    return { url, servers: [master, ...others], sentinels, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

/** The settings of a Sentinel, with everything that it would otherwise need seconds to discover. */
function sentinelSettings(
  { sentinels = 3, downAfterMs = 500, password, sentinelPassword }: ReplicatedOptions,
  masterPort: number,
  id: string,
  names: readonly string[]
): string[] {
  return [
    `sentinel myid ${id}`,
    `sentinel monitor ${masterName} ${host} ${masterPort} ${Math.floor(sentinels / 2) + 1}`,
    `sentinel down-after-milliseconds ${masterName} ${downAfterMs}`,
    // Sentinels wait twice this time before they try another failover.
    `sentinel failover-timeout ${masterName} 3000`,
    ...(password === undefined ? [] : [`sentinel auth-pass ${masterName} ${JSON.stringify(password)}`]),
    ...(sentinelPassword === undefined ? [] : [`sentinel sentinel-pass ${JSON.stringify(sentinelPassword)}`]),
    ...names
  ]
}

/** Finds ports one after the other, so that they come from as few blocks as possible. */
export async function freePorts(count: number): Promise<number[]> {
  const ports: number[] = []
  while (ports.length < count) ports.push(await freePort())
  return ports
}

interface SentinelOptions extends RedisAccess {
  readonly port: number
  /** An existing directory for `sentinel.conf`, in which a Sentinel also stores what it learns. */
  readonly directory: string
  /** The lines of a new `sentinel.conf`. */
  readonly settings: readonly string[]
}

/** Starts a Sentinel on 127.0.0.1 and resolves when it answers. It ends with this process at the latest. */
async function startSentinel(program: RedisProgram, options: SentinelOptions): Promise<Child> {
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
