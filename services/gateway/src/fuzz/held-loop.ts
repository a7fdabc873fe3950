import { PerformanceObserver } from 'node:perf_hooks'
import { isMainThread, parentPort, workerData } from 'node:worker_threads'
import { startGateway, testCatalog } from '../testing/start-gateway.ts'

/** What a thread with a gateway tells of it. */
export type GatewayThread = { url: string; secret: string }

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
  let collectedMs = 0
  const collections = new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) collectedMs += duration
  })
  collections.observe({ entryTypes: ['gc'] })
  const cpuMs = (): number => {
    const { user, system } = process.threadCpuUsage()
    return (user + system) / 1000
  }
  let isWatching = false
  let longestMs = 0

  function watch(before: number): void {
    const now = cpuMs()
    for (const { duration } of collections.takeRecords()) collectedMs += duration
    longestMs = Math.max(longestMs, now - before - collectedMs)
    collectedMs = 0
    if (isWatching) setImmediate(watch, cpuMs())
  }

  parentPort!.on('message', async (message: 'watch' | 'tell' | 'close') => {
    if (message === 'watch') {
      isWatching = true
      longestMs = 0
      setImmediate(watch, cpuMs())
    } else if (message === 'tell') {
      // The turn in which the request ended is over, too.
      setImmediate(() => {
        isWatching = false
        parentPort!.postMessage(longestMs)
      })
    } else {
      collections.disconnect()
      await gateway.close()
      parentPort!.close()
    }
  })
  parentPort!.postMessage({ url: gateway.url, secret } satisfies GatewayThread)
}

if (!isMainThread) await serve(workerData as string)
