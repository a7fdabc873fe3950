import { startRedis } from '@tollgate/sandbox/redis/start-redis.ts'
import { connectServer } from '@tollgate/state/link/connect-redis.ts'
import type { RedisNode } from '@tollgate/state/link/redis-link.ts'
import { median } from '../measure/statistics.ts'
import { createKeys, runRequest } from '../redis/scripted-requests.ts'
import { formatNumber } from '../report/table.ts'
import type { Part } from './part.ts'

const accounts = 100
const requestsAtOnce = 2
const rounds = 9
/** The default of `REQUEST_LOG_MEMORY_MB`, divided by 256 shards. */
const receiptBytes = 1024 * 1024

/** Runs only the scripts of requests, in turn with and without receipts, and compares the CPU time of Redis. */
export const redisReceipts: Part = {
  name: 'redis-receipts',
  summary: 'CPU time of Redis for the receipt of a request: scripted requests of 100 accounts, with and without',
  onlyIfNamed: true,
  async run(bench) {
    const server = await startRedis({ port: 0 })
    const link = connectServer(server.url, {
      name: 'tollgate-bench',
      silenceTimeoutMs: 30_000,
      onError: () => {} // A failed command rejects.
    })
    try {
      await link.ready()
      const keys = await createKeys(link, accounts, 1)
      const perRound = bench.timing.redisRequests / 20
      const figures: Record<'without' | 'with', number[]> = { without: [], with: [] }
      for (let round = 0; round <= rounds; round++) {
        for (const [name, bytes] of [
          ['without', 0],
          ['with', receiptBytes]
        ] as const) {
          const micros = await measure(link, keys, perRound, bytes)
          // The first round is for V8 and Redis.
          if (round > 0) figures[name].push(micros)
        }
        bench.progress(`redis-receipts: ${round} of ${rounds}`)
      }
      const extra = figures.with.map((micros, round) => micros - figures.without[round]!)
      return {
        sections: [
          {
            title: `Redis per request, CPU time, µs; median of ${rounds} rounds of ${formatNumber(perRound, 0)} requests`,
            table: {
              head: ['receipts', 'µs'],
              rows: [...Object.entries(figures), ['difference', extra] as const].map(([name, micros]) => [
                name,
                formatNumber(median(micros), 2)
              ])
            },
            notes: [
              'Nobody copies the receipts, so budgets are reached after some seconds. Then each further receipt drops an older one.'
            ]
          }
        ],
        figures: { server: server.kind, microsPerRequest: figures }
      }
    } finally {
      await link.close()
      await server.stop()
    }
  }
}

async function measure(
  link: RedisNode,
  keys: Awaited<ReturnType<typeof createKeys>>,
  total: number,
  bytes: number
): Promise<number> {
  const before = await readCpuMicros(link)
  let requests = 0
  while (requests < total) {
    const round = Array.from({ length: requestsAtOnce }, () => keys.map((key) => runRequest(link, key, bytes)))
    await Promise.all(round.flat())
    requests += round.length * keys.length
  }
  return ((await readCpuMicros(link)) - before) / requests
}

async function readCpuMicros(link: RedisNode): Promise<number> {
  const info = await link.client.info('cpu')
  const field = (name: string) => Number(new RegExp(`^${name}:([\\d.]+)`, 'm').exec(info)?.[1])
  return (field('used_cpu_user') + field('used_cpu_sys')) * 1e6
}
