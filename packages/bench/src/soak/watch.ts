import { readdirSync, readlinkSync } from 'node:fs'
import { request } from 'undici'
import type { Inspector } from '../measure/inspector.ts'
import { readCpuNanos, readResidentBytes } from '../measure/proc.ts'

/** The state of the gateway at one moment. */
export interface Sample {
  /** Since the load began. */
  atMs: number
  /** Requests that had come to an end. */
  requests: number
  residentBytes: number
  /** What a collection of all garbage left of the heap; null if none was made for this sample. */
  heapBytes: number | null
  handles: number
  sockets: number
  cpuNanos: number
}

/** Whom to watch, and how often. */
export interface Watched {
  pid: number
  /** Where it tells its metrics: the handles. */
  metricsUrl: string
  inspector: Inspector
  everyMs: number
  /**
   * How often its garbage is collected to see what is left. That stops the process for some tens of milliseconds, so it
   * is done seldom; how full the heap is between two collections says more about V8's timing than about the program.
   */
  collectEveryMs: number
}

/** Starts reading the state of a process again and again. */
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
      // Before the collection: as it is when nobody looks.
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
  // A connection that stays open would count as one of the gateway's sockets.
  const { body } = await request(url, { reset: true })
  return metricOf(await body.text(), 'nodejs_active_handles_total')
}

/** The value of a metric without labels in Prometheus' text format. */
export function metricOf(text: string, name: string): number {
  const line = text.split('\n').find((line) => line.startsWith(`${name} `))
  if (line === undefined) throw new Error(`the metrics have no ${name}`)
  return Number(line.slice(name.length + 1))
}

/** How many sockets a process has open, those it listens on included. */
export function countSockets(pid: number): number {
  const directory = `/proc/${pid}/fd`
  let sockets = 0
  for (const fd of readdirSync(directory)) {
    try {
      if (readlinkSync(`${directory}/${fd}`).startsWith('socket:')) sockets++
    } catch {
      // Closed meanwhile.
    }
  }
  return sockets
}
