import { PerformanceObserver } from 'node:perf_hooks'
import { isMainThread, parentPort, workerData } from 'node:worker_threads'
import { startGateway, testCatalog } from '../testing/start-gateway.ts'

/** What a thread with a gateway tells of it. */
export interface GatewayThread {
  url: string
  secret: string
}

/** How long a request held the loop at most, ms of CPU time: without and with the collection of garbage. */
export interface Held {
  heldMs: number
  withGarbageMs: number
}

interface Turn {
  startedAt: number
  endedAt: number
  cpuMs: number
}

function afterTurns(turns: number, done: () => void): void {
  if (turns === 0) done()
  else setImmediate(() => afterTurns(turns - 1, done))
}

/** Long prompts are admitted, too, and forwarded. */
const plan = { ...testCatalog.plans.free!, caps: { requestNanos: 1e12, monthlyNanos: 1e15 } }

/**
 * A gateway in a thread of its own, so that its event loop does nothing else. While it is told to watch, it measures each
 * turn of the loop: the CPU time of the thread, without the collection of garbage. Time in which other processes had the
 * processor does not count, since a loaded machine would fail any limit.
 */
async function serve(upstream: string): Promise<void> {
  const gateway = await startGateway(upstream, { catalog: { ...testCatalog, plans: { free: plan } } })
  const { secret } = await gateway.seedKey()
  const collections: PerformanceEntry[] = []
  const observer = new PerformanceObserver((list) => collections.push(...list.getEntries()))
  observer.observe({ entryTypes: ['gc'] })
  const cpuNow = (): number => {
    const { user, system } = process.threadCpuUsage()
    return (user + system) / 1000
  }
  let isWatching = false
  let longestMs = 0
  let longestWithGarbageMs = 0
  let last: Turn | null = null

  /** A collection is told in the turn after it, so the turn before the one that ends now is judged. */
  function watch({ startedAt, cpuAt }: { startedAt: number; cpuAt: number }): void {
    const [endedAt, cpuMs] = [performance.now(), cpuNow() - cpuAt]
    collections.push(...observer.takeRecords())
    if (last !== null) judge(last)
    last = { startedAt, endedAt, cpuMs }
    if (isWatching) setImmediate(watch, { startedAt: performance.now(), cpuAt: cpuNow() })
  }

  function judge({ startedAt, endedAt, cpuMs }: Turn): void {
    let garbageMs = 0
    while (collections.length > 0 && collections[0]!.startTime < endedAt) {
      const { startTime, duration } = collections.shift()!
      if (startTime >= startedAt) garbageMs += duration
    }
    longestMs = Math.max(longestMs, cpuMs - garbageMs)
    longestWithGarbageMs = Math.max(longestWithGarbageMs, cpuMs)
  }

  parentPort!.on('message', async (message: 'watch' | 'tell' | 'close') => {
    if (message === 'watch') {
      isWatching = true
      longestMs = longestWithGarbageMs = 0
      last = null
      setImmediate(watch, { startedAt: performance.now(), cpuAt: cpuNow() })
    } else if (message === 'tell') {
      // The turn in which the request ended is over and judged, too.
      afterTurns(4, () => {
        isWatching = false
        parentPort!.postMessage({ heldMs: longestMs, withGarbageMs: longestWithGarbageMs } satisfies Held)
      })
    } else {
      observer.disconnect()
      await gateway.close()
      parentPort!.close()
    }
  })
  parentPort!.postMessage({ url: gateway.url, secret } satisfies GatewayThread)
}

if (!isMainThread) await serve(workerData as string)
