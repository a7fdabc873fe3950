import { randomUUID } from 'node:crypto'
import { hostname } from 'node:os'
import type { ApiName } from '@tollgate/contracts/catalog/apis.ts'
import { type ProcessReport, readProcessReport } from '@tollgate/contracts/records/process-report.ts'
import { processesName } from '../keyspace/names.ts'
import { RedisAwayError, type RedisLink, type RedisNode, withoutCommand } from '../link/redis-link.ts'

/** A process that has not reported for this long does not count as running. */
const liveMs = 15_000
/** An entry is deleted after this time. */
const keptMs = 3_600_000

/** A running process. */
export interface LiveProcess extends ProcessReport {
  /** When it last reported: ms since the epoch, by the clock of Redis. */
  seenAt: number
}

/** Notes that a process runs. @throws RedisAwayError, or ioredis' error if no answer comes in time */
export async function noteProcess(link: RedisLink, report: ProcessReport): Promise<void> {
  await nodeOfProcesses(link).client.tgNoteProcess(processesName, report.id, JSON.stringify(report))
}

/** Removes a process that ends. @throws RedisAwayError, or ioredis' error if no answer comes in time */
export async function removeProcess(link: RedisLink, id: string): Promise<void> {
  await nodeOfProcesses(link).client.hdel(processesName, id)
}

/**
 * Reads the running processes: those that reported in the last 15 seconds, sorted by kind and start. It deletes entries
 * that are older than an hour.
 *
 * @throws RedisAwayError, or ioredis' error if no answer comes in time
 */
export async function readProcesses(link: RedisLink): Promise<LiveProcess[]> {
  const { client } = nodeOfProcesses(link)
  const [[seconds, micros], entries] = await Promise.all([client.time(), client.hgetall(processesName)])
  const now = Number(seconds) * 1000 + Math.floor(Number(micros) / 1000)
  const live: LiveProcess[] = []
  const old: string[] = []
  for (const [id, value] of Object.entries(entries)) {
    const seenAt = Number.parseInt(value, 10)
    if (!(now - seenAt <= keptMs)) old.push(id)
    if (!(now - seenAt <= liveMs)) continue
    const report = readProcessReport(value.slice(value.indexOf('|') + 1))
    if (report !== null) live.push({ ...report, seenAt })
  }
  if (old.length > 0) await client.hdel(processesName, ...old)
  const inOrder = (one: LiveProcess, other: LiveProcess) =>
    one.kind.localeCompare(other.kind) || one.startedAt - other.startedAt || one.id.localeCompare(other.id)
  return live.toSorted(inOrder)
}

/** Names of the upstreams of the running gateways, and how many gateways are too old for a setting. */
export interface LiveUpstreams {
  /** Any gateway has it. */
  readonly served: ReadonlySet<string>
  /** No gateway has it, but a gateway's file has it as an optional one. */
  readonly leftOut: ReadonlySet<string>
  /** How many gateways are of a release that charges what providers bill, whatever the list prices say. */
  readonly withoutListPrices: number
  /** How many gateways are of a release that does not check the addresses of keys. */
  readonly withoutAddresses: number
  /** How many gateways are of a release that knows no budgets besides those of a month, and no limits of counts of a key. */
  readonly withoutBudgets: number
}

/** @returns null if no running gateway is known, or Redis is unavailable */
export async function liveUpstreams(link: RedisLink): Promise<LiveUpstreams | null> {
  const gateways = await readGateways(link)
  if (gateways === null) return null
  const served = new Set(gateways.flatMap(({ upstreams = [] }) => upstreams.map(({ name }) => name)))
  const leftOut = gateways.flatMap(({ leftOutUpstreams = [] }) => leftOutUpstreams.filter((name) => !served.has(name)))
  const countWithout = (ability: 'chargesListPrices' | 'checksAddresses' | 'countsBudgets') =>
    gateways.filter((gateway) => gateway[ability] !== true).length
  return {
    served,
    leftOut: new Set(leftOut),
    withoutListPrices: countWithout('chargesListPrices'),
    withoutAddresses: countWithout('checksAddresses'),
    withoutBudgets: countWithout('countsBudgets')
  }
}

/** The APIs of each upstream of the running gateways. @returns null as {@link liveUpstreams} */
export async function readSpokenApis(link: RedisLink): Promise<ReadonlyMap<string, ReadonlySet<ApiName>> | null> {
  const gateways = await readGateways(link)
  if (gateways === null) return null
  const upstreams = gateways.flatMap(({ upstreams = [] }) => upstreams)
  const byName = Map.groupBy(upstreams, ({ name }) => name)
  return new Map([...byName].map(([name, some]) => [name, new Set(some.flatMap(({ speaks }) => speaks))]))
}

/** Whether any running gateway writes the request log; true if none is known, or Redis is unavailable. */
export async function isRequestLogOn(link: RedisLink): Promise<boolean> {
  const gateways = await readGateways(link)
  return gateways?.some(({ isWithoutRequestLog }) => isWithoutRequestLog !== true) ?? true
}

/** The running gateways; null if there are none, or Redis is unavailable. */
async function readGateways(link: RedisLink): Promise<LiveProcess[] | null> {
  if (!link.isReady()) return null
  try {
    const gateways = (await readProcesses(link)).filter(({ kind }) => kind === 'gateway')
    return gateways.length === 0 ? null : gateways
  } catch {
    // The connection itself reports that Redis is away.
    return null
  }
}

/** @throws RedisAwayError */
function nodeOfProcesses(link: RedisLink): RedisNode {
  const node = link.nodeOf(processesName)
  node.run()
  return node
}

/** Three reports may be lost before a process does not count as running. */
const defaultIntervalMs = 5000

/** What only the process itself knows. */
export type ProcessFacts = Omit<ProcessReport, 'id' | 'host' | 'startedAt'>

/** Reports to Redis that this process runs, and its state. */
export interface Heartbeat {
  /** Starts. The first report is sent as soon as Redis is ready. */
  start(): void
  /** Reports now, if Redis is ready. Never rejects. */
  beat(): Promise<void>
  /** Stops, and removes the entry of this process. Never rejects. */
  stop(): Promise<void>
}

/**
 * @param facts called for each report
 * @param onError called once per outage when Redis rejects reports, but not while Redis is unreachable: that is
 * reported elsewhere
 */
export function createHeartbeat(
  redis: RedisLink,
  facts: () => ProcessFacts,
  onError: (error: Error) => void,
  intervalMs = defaultIntervalMs
): Heartbeat {
  const self = { id: randomUUID(), host: hostname(), startedAt: Date.now() }
  let timer: NodeJS.Timeout | undefined
  let beating: Promise<void> | null = null
  let isFailing = false
  let isStopped = false

  async function send(command: () => Promise<void>): Promise<void> {
    if (!redis.isReady()) return
    try {
      await command()
      isFailing = false
    } catch (error) {
      if (error instanceof RedisAwayError || isFailing) return
      isFailing = true
      onError(withoutCommand(error as Error))
    }
  }

  async function beat(): Promise<void> {
    if (isStopped) return
    beating ??= send(() => noteProcess(redis, { ...self, ...facts() })).finally(() => {
      beating = null
    })
    await beating
  }

  return {
    start() {
      void redis.ready().then(beat)
      timer = setInterval(beat, intervalMs)
    },
    beat,
    async stop() {
      isStopped = true
      clearInterval(timer)
      await beating
      await send(() => removeProcess(redis, self.id))
    }
  }
}
