import { readdirSync, readlinkSync } from 'node:fs'
import { request } from 'undici'
import { readCpuNanos, readResidentBytes } from '../measure/machine.ts'
import type { Inspector } from '../measure/profile.ts'

/** One sample of the gateway's state. */
export interface Sample {
  /** The time since the start of the load. */
  atMs: number
  /** The number of finished requests. */
  requests: number
  residentBytes: number
  /** The heap after a full garbage collection; null if this sample has none. */
  heapBytes: number | null
  handles: number
  sockets: number
  cpuNanos: number
}

/** The process to watch, and how often. */
export interface Watched {
  pid: number
  /** The URL of its metrics, for the number of handles. */
  metricsUrl: string
  inspector: Inspector
  everyMs: number
  /**
   * How often a full garbage collection is forced. It stops the process for tens of milliseconds, so it is rare. The
   * heap size between two collections depends more on V8's timing than on the program.
   */
  collectEveryMs: number
}

/** Starts sampling the state of a process. */
export function watch(
  { pid, metricsUrl, inspector, everyMs, collectEveryMs }: Watched,
  requests: () => number
): { samples: readonly Sample[]; stop(): Promise<void> } {
  const samples: Sample[] = []
  const began = performance.now()
  let timer: NodeJS.Timeout | null = null
  let failure: unknown = null
  let reading = Promise.resolve()
  let collectAtMs = 0
  async function read(): Promise<void> {
    const atMs = performance.now() - began
    const isCollecting = atMs >= collectAtMs
    if (isCollecting) collectAtMs += collectEveryMs
    const handles = await readHandles(metricsUrl)
    samples.push({
      atMs,
      requests: requests(),
      // Read before the forced collection, which would change it.
      residentBytes: readResidentBytes(pid),
      sockets: countSockets(pid),
      cpuNanos: readCpuNanos(pid),
      handles,
      heapBytes: isCollecting ? (await inspector.heapAfterCollection()).usedBytes : null
    })
    timer = setTimeout(next, everyMs)
  }
  function next(): void {
    reading = read().catch((error: unknown) => {
      failure = error
    })
  }
  next()
  return {
    samples,
    async stop() {
      await reading
      if (timer !== null) clearTimeout(timer)
      if (failure !== null) throw failure
    }
  }
}

async function readHandles(url: string): Promise<number> {
  // A kept-alive connection would count as one of the gateway's sockets.
  const { body } = await request(url, { reset: true })
  return metricOf(await body.text(), 'nodejs_active_handles_total')
}

/** The value of a metric without labels in Prometheus' text format. */
export function metricOf(text: string, name: string): number {
  const line = text.split('\n').find((line) => line.startsWith(`${name} `))
  if (line === undefined) throw new Error(`the metrics have no ${name}`)
  return Number(line.slice(name.length + 1))
}

/** The number of open sockets of a process, including listening ones. */
export function countSockets(pid: number): number {
  const directory = `/proc/${pid}/fd`
  let sockets = 0
  for (const fd of readdirSync(directory)) {
    try {
      if (readlinkSync(`${directory}/${fd}`).startsWith('socket:')) sockets++
    } catch {
      // The descriptor was closed in the meantime.
    }
  }
  return sockets
}
