import { readdirSync, readlinkSync } from 'node:fs'
import { request } from 'undici'
import { readCpuNanos, readResidentBytes } from '../measure/proc.ts'

/** The state of the gateway at one moment. */
export interface Sample {
  /** Since the load began. */
  atMs: number
  /** Requests that had come to an end. */
  requests: number
  residentBytes: number
  heapBytes: number
  handles: number
  sockets: number
  cpuNanos: number
}

/** Starts reading the state of a process again and again. Reading the memory of the heap asks its metrics. */
export function watch(
  { pid, metricsUrl, everyMs }: { pid: number; metricsUrl: string; everyMs: number },
  requests: () => number
): { samples: readonly Sample[]; stop(): Promise<void> } {
  const samples: Sample[] = []
  const began = performance.now()
  let timer: NodeJS.Timeout | null = null
  let failure: unknown = null
  let reading = Promise.resolve()
  async function read(): Promise<void> {
    const metrics = await readMetrics(metricsUrl)
    samples.push({
      atMs: performance.now() - began,
      requests: requests(),
      residentBytes: readResidentBytes(pid),
      sockets: countSockets(pid),
      cpuNanos: readCpuNanos(pid),
      ...metrics
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

async function readMetrics(url: string): Promise<Pick<Sample, 'heapBytes' | 'handles'>> {
  // A connection that stays open would count as one of the gateway's sockets.
  const { body } = await request(url, { reset: true })
  const text = await body.text()
  return {
    heapBytes: metricOf(text, 'nodejs_heap_size_used_bytes'),
    handles: metricOf(text, 'nodejs_active_handles_total')
  }
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
