import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import type { TestGateway } from '@tollgate/gateway/testing/start-gateway.ts'

/** Maximum growth of the heap in a run, by caches and compiled code. */
const maxGrowthBytes = 24 * 1024 * 1024
const settleMs = 10_000

/**
 * Runs a function against a gateway of this process, and checks for leaks.
 *
 * @throws Error if a rejection is unhandled, or connections, calls or memory remain
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
    if (performance.now() > deadline) throw new Error(`${left} connections or calls remain`)
    gateway.server.closeIdleConnections()
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  const growth = usedHeap() - before
  if (growth > maxGrowthBytes) throw new Error(`${Math.round(growth / 1024 / 1024)} MB remain on the heap`)
}

/** Counts the connections of clients and the calls of upstreams in flight. */
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
