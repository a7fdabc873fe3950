import { randomBytes } from 'node:crypto'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { RedisProgram } from './find-redis-server.ts'
import { type RedisAccess, type RedisNode, startNode, urlParameters, urlStart } from './running-redis.ts'
import { startRedisProgram } from './start-redis.ts'
import { freePorts } from './start-replicated-redis.ts'
import { untilInfo } from './until-redis.ts'

export interface ClusterOptions extends RedisAccess {
  readonly program: RedisProgram
  /** 3 unless given. Fewer masters cannot elect a new one. */
  readonly masters?: number
  /** Replicas of each master; 1 unless given. */
  readonly replicas?: number
  /** `cluster-node-timeout`; 1000 unless given. */
  readonly nodeTimeoutMs?: number
  readonly persistence?: boolean
  /** Further arguments of every server. */
  readonly args?: readonly string[]
}

export interface RedisCluster {
  /** A `REDIS_URL` that names every node. */
  readonly url: string
  /** The masters at the start, in the order of their slots. */
  readonly masters: readonly RedisNode[]
  /** The replicas at the start, for each master. */
  readonly replicas: ReadonlyArray<readonly RedisNode[]>
  /** Stops all nodes and removes their files. */
  stop(): Promise<void>
}

const host = '127.0.0.1'
const slotCount = 16_384

/** A node in `nodes.conf`. */
interface Member {
  readonly id: string
  readonly port: number
  readonly busPort: number
  /** The id of the replica's master; null for a master. */
  readonly master: string | null
  /** Empty for a replica. */
  readonly slots: string
  readonly epoch: number
}

/**
 * Starts a Redis Cluster and resolves when it accepts commands. That takes two seconds: each master waits so long.
 * The masters share the slots evenly. The cluster ends with this process at the latest.
 *
 * Each node starts with a complete `nodes.conf`. `CLUSTER MEET` would take a few seconds longer.
 */
export async function startRedisCluster(options: ClusterOptions): Promise<RedisCluster> {
  const { program, masters: masterCount = 3, replicas: replicasEach = 1, password, tls } = options
  const access = { password, tls }
  const directory = await mkdtemp(join(tmpdir(), 'tollgate-cluster-'))
  const nodes: RedisNode[] = []
  const stop = async () => {
    await Promise.all(nodes.map((node) => node.stop()))
    await rm(directory, { recursive: true, force: true })
  }
  try {
    const members = await plan(masterCount, replicasEach)
    const started = await Promise.all(
      members.map(async (member) => {
        const dataDir = join(directory, String(member.port))
        await mkdir(dataDir)
        await writeFile(join(dataDir, 'nodes.conf'), nodesFile(members, member))
        const settings = { ...access, dataDir, persistence: options.persistence === true }
        const args = [...clusterArguments(member, options), ...(options.args ?? [])]
        const node = await startNode(member.port, dataDir, () =>
          startRedisProgram(program, member.port, { ...settings, args })
        )
        nodes.push(node)
        return { member, node }
      })
    )
    await Promise.all(
      started.map(async ({ member: { port, master } }) => {
        await untilInfo(port, { ...access, command: 'CLUSTER INFO' }, 'part of a working cluster', (info) =>
          isServing(info, members.length)
        )
        if (master !== null) {
          await untilInfo(port, access, 'a replica in sync', (info) => info.get('master_link_status') === 'up')
        }
      })
    )
    const ofMaster = (id: string | null) => started.filter(({ member }) => member.master === id)
    const masters = ofMaster(null)
    const addresses = members.map(({ port }) => `${host}:${port}`).join(',')
    return {
      url: `${urlStart('+cluster', access)}${addresses}${urlParameters({ ssl_ca_certs: tls?.caFile })}`,
      masters: masters.map(({ node }) => node),
      replicas: masters.map(({ member }) => ofMaster(member.id).map(({ node }) => node)),
      stop
    }
  } catch (error) {
    await stop()
    throw error
  }
}

const isServing = (info: ReadonlyMap<string, string>, size: number): boolean =>
  info.get('cluster_state') === 'ok' && info.get('cluster_known_nodes') === String(size)

async function plan(masterCount: number, replicasEach: number): Promise<Member[]> {
  const members: Member[] = []
  const add = async (master: string | null, slots: string): Promise<Member> => {
    const [port, busPort] = (await freePorts(2)) as [number, number]
    const id = randomBytes(20).toString('hex')
    const member = { id, port, busPort, master, slots, epoch: master === null ? members.length + 1 : 0 }
    members.push(member)
    return member
  }
  const firstOf = (index: number) => Math.round((slotCount * index) / masterCount)
  for (let index = 0; index < masterCount; index++) {
    const { id } = await add(null, `${firstOf(index)}-${firstOf(index + 1) - 1}`)
    for (let number = 0; number < replicasEach; number++) await add(id, '')
  }
  return members
}

function nodesFile(members: readonly Member[], self: Member): string {
  const lines = members.map(({ id, port, busPort, master, slots, epoch }) => {
    const flags = `${id === self.id ? 'myself,' : ''}${master === null ? 'master' : 'slave'}`
    return `${id} ${host}:${port}@${busPort} ${flags} ${master ?? '-'} 0 0 ${epoch} connected ${slots}`.trimEnd()
  })
  const epoch = Math.max(...members.map((member) => member.epoch))
  return `${lines.join('\n')}\nvars currentEpoch ${epoch} lastVoteEpoch 0\n`
}

function clusterArguments({ busPort }: Member, { nodeTimeoutMs = 1000, password }: ClusterOptions): string[] {
  return [
    ...['--cluster-enabled', 'yes', '--cluster-config-file', 'nodes.conf', '--cluster-port', String(busPort)],
    ...['--cluster-node-timeout', String(nodeTimeoutMs), '--cluster-announce-ip', host],
    // As in deploy/redis/README.md: the other masters still accept commands if a master and its replicas are lost.
    ...['--cluster-require-full-coverage', 'no', '--repl-diskless-sync-delay', '0'],
    ...(password === undefined ? [] : ['--masterauth', password])
  ]
}
