import { PerformanceObserver } from 'node:perf_hooks'
import { isMainThread, parentPort, workerData } from 'node:worker_threads'
import { startGateway, testCatalog } from '@tollgate/gateway/testing/start-gateway.ts'
import { speaksAll } from './all-apis.ts'

/** The address of a gateway in a thread, and a key for it. */
export interface GatewayThread {
  url: string
  secret: string
}

/** The longest turn of the loop during a request, ms of CPU time: without and with garbage collection. */
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

/** Long prompts are admitted and forwarded, too. */
const plan = { ...testCatalog.plans.free!, caps: { requestNanos: 1e12, monthlyNanos: 1e15 } }

/**
 * Runs a gateway in its own thread, so that its event loop does nothing else. Between the messages `watch` and `report`
 * it measures each turn of the loop: the CPU time of the thread, with and without garbage collection. Wall-clock time
 * would fail any limit on a busy machine.
 */
async function serve(upstream: string): Promise<void> {
  const gateway = await startGateway(upstream, {
    catalog: { ...testCatalog, plans: { free: plan } },
    upstreamsFile: speaksAll(upstream)
  })
  const { secret } = await gateway.seedKey()
  const collections: PerformanceEntry[] = []
  const observer = new PerformanceObserver((list) => collections.push(...list.getEntries()))
  observer.observe({ entryTypes: ['gc'] })
  const cpuNow = (): number => {
    const { user, system } = process.threadCpuUsage()
    return (user + system) / 1000
  }
  let isWatching = false
  let maxMs = 0
  let maxWithGarbageMs = 0
  let last: Turn | null = null

  /** Node reports a garbage collection in the turn after it. So this measures the turn before the current one. */
  function watch({ startedAt, cpuAt }: { startedAt: number; cpuAt: number }): void {
    const [endedAt, cpuMs] = [performance.now(), cpuNow() - cpuAt]
    collections.push(...observer.takeRecords())
    if (last !== null) measure(last)
    last = { startedAt, endedAt, cpuMs }
    if (isWatching) setImmediate(watch, { startedAt: performance.now(), cpuAt: cpuNow() })
  }

  function measure({ startedAt, endedAt, cpuMs }: Turn): void {
    let garbageMs = 0
    while (collections.length > 0 && collections[0]!.startTime < endedAt) {
      const { startTime, duration } = collections.shift()!
      if (startTime >= startedAt) garbageMs += duration
    }
    maxMs = Math.max(maxMs, cpuMs - garbageMs)
    maxWithGarbageMs = Math.max(maxWithGarbageMs, cpuMs)
  }

  parentPort!.on('message', async (message: 'watch' | 'report' | 'close') => {
    if (message === 'watch') {
      isWatching = true
      maxMs = maxWithGarbageMs = 0
      last = null
      setImmediate(watch, { startedAt: performance.now(), cpuAt: cpuNow() })
    } else if (message === 'report') {
      // By then the turn in which the request ended has been measured, too.
      afterTurns(4, () => {
        isWatching = false
        parentPort!.postMessage({ heldMs: maxMs, withGarbageMs: maxWithGarbageMs } satisfies Held)
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
