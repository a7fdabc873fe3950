import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import type { TestGateway } from '../testing/start-gateway.ts'

/** What a run may leave on the heap: caches that fill, code that was compiled. */
const mostGrowth = 24 * 1024 * 1024
const settleMs = 10_000

/**
 * Runs something against a gateway of this process, and looks at what it leaves behind.
 *
 * @throws Error if a rejection was not handled, or connections or memory are left
 */
export async function withLeakCheck(gateway: TestGateway, run: () => Promise<void>): Promise<void> {
  const rejections: unknown[] = []
  const onRejection = (error: unknown) => rejections.push(error)
  process.on('unhandledRejection', onRejection)
  const before = usedHeap()
  try {
    await run()
  } finally {
    process.off('unhandledRejection', onRejection)
  }
  if (rejections.length > 0) throw new Error('a rejection was not handled', { cause: rejections[0] })
  const deadline = performance.now() + settleMs
  for (let left = await openSockets(gateway); left > 0; left = await openSockets(gateway)) {
    if (performance.now() > deadline) throw new Error(`${left} connections or calls are left`)
    gateway.server.closeIdleConnections()
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  const growth = usedHeap() - before
  if (growth > mostGrowth) throw new Error(`${Math.round(growth / 1024 / 1024)} MB are left on the heap`)
}

/** Connections of clients, and calls of upstreams that are not over. */
async function openSockets(gateway: TestGateway): Promise<number> {
  const clients = await new Promise<number>((resolve, reject) =>
    gateway.server.getConnections((error, count) => (error === null ? resolve(count) : reject(error)))
  )
  const calls = [...gateway.upstreams.values()].reduce((sum, { pool }) => sum + pool.underWay, 0)
  return clients + calls
}

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as () => void

function usedHeap(): number {
  collect()
  return process.memoryUsage().heapUsed
}
