import { setTimeout as delay } from 'node:timers/promises'
import type { Child } from '../child/child.ts'
import { PortTakenError } from '../port-taken-error.ts'
import { askRedisInfo } from './ask-redis-info.ts'
import type { RedisAccess } from './redis-access.ts'

const readyTimeoutMs = 300_000
const conditionTimeoutMs = 30_000
const retryMs = 10

/**
 * Resolves when the child answers and has loaded its data. Another server on its port does not count.
 *
 * @throws PortTakenError if another program uses the port, or Error with the server's last lines
 */
export async function untilServerReady(child: Child, port: number, access: RedisAccess): Promise<void> {
  const deadline = performance.now() + readyTimeoutMs
  while (performance.now() < deadline) {
    const info = await Promise.race([askRedisInfo(port, access), child.ended.then(() => null)])
    // A Sentinel has no field `loading`.
    if (info?.get('process_id') === String(child.pid) && (info.get('loading') ?? '0') === '0') return
    await Promise.race([child.ended, delay(retryMs)])
    if (!child.isRunning()) {
      if (child.output().includes('Address already in use')) throw new PortTakenError(port)
      throw new Error(`The Redis server ended before it was ready. Its last lines:\n${child.output()}`)
    }
  }
  throw new Error(`The Redis server was not ready after ${readyTimeoutMs / 1000} s. Its last lines:\n${child.output()}`)
}

/**
 * Resolves when the INFO of a server meets a condition.
 *
 * @param condition names it, for the error
 */
export async function untilInfo(
  port: number,
  options: RedisAccess & { command?: 'INFO' | 'CLUSTER INFO' },
  condition: string,
  isReached: (info: ReadonlyMap<string, string>) => boolean
): Promise<void> {
  const deadline = performance.now() + conditionTimeoutMs
  for (;;) {
    const info = await askRedisInfo(port, options)
    if (info !== null && isReached(info)) return
    if (performance.now() > deadline)
      throw new Error(`The Redis at port ${port} is not ${condition} after ${conditionTimeoutMs} ms.`)
    await delay(retryMs)
  }
}
