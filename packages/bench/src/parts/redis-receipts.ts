import { startRedis } from '@tollgate/sandbox/redis/start-redis.ts'
import { accountShards } from '@tollgate/state/keyspace/names.ts'
import { connectServer } from '@tollgate/state/link/connect-redis.ts'
import type { RedisNode } from '@tollgate/state/link/redis-link.ts'
import { forgetReceipts, readReceipts } from '@tollgate/state/receipts/receipts.ts'
import { spread } from '../measure/statistics.ts'
import { createKeys, runRequest } from '../redis/scripted-requests.ts'
import { formatNumber } from '../report/table.ts'
import type { Part } from './part.ts'

const accounts = 100
const requestsAtOnce = 2
/** Many short pairs: a virtual machine slows down for seconds at a time, which affects both sides of a short pair. */
const pairs = 60
/** For V8 and Redis. */
const warmUpPairs = 4
/** The default of `REQUEST_LOG_MEMORY_MB`, divided by 256 shards. */
const receiptBytes = 1024 * 1024
const entriesPerRead = 4000

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
      const together = requestsAtOnce * accounts
      const perRound = Math.ceil(bench.timing.redisRequests / 200 / together) * together
      const figures: Record<'without' | 'receipt' | 'copying', number[]> = { without: [], receipt: [], copying: [] }
      for (let pair = 0; pair < warmUpPairs + pairs; pair++) {
        let without = 0
        let withReceipts = 0
        const sides = [
          async () => (without = await measure(link, keys, perRound, 0)),
          async () => (withReceipts = await measure(link, keys, perRound, receiptBytes))
        ]
        for (const side of pair % 2 === 0 ? sides : sides.reverse()) await side()
        const copying = await measureCopying(link, perRound)
        if (pair < warmUpPairs) continue
        figures.without.push(without)
        figures.receipt.push(withReceipts - without)
        figures.copying.push(copying)
        bench.progress(`redis-receipts: pair ${pair - warmUpPairs + 1} of ${pairs}`)
      }
      const rows = [
        ['the scripts of a request without its receipt', figures.without],
        ['more with its receipt', figures.receipt],
        ['to read and forget the receipt, as control does', figures.copying]
      ] as const
      return {
        sections: [
          {
            title: `Redis per request, CPU time, µs; ${pairs} pairs of rounds of ${formatNumber(perRound, 0)} requests`,
            table: {
              head: ['', 'median', 'quartiles'],
              rows: rows.map(([name, micros]) => {
                const { median, lowerQuartile, upperQuartile } = spread(micros)
                return [
                  name,
                  formatNumber(median, 2),
                  `${formatNumber(lowerQuartile, 2)}–${formatNumber(upperQuartile, 2)}`
                ]
              })
            },
            notes: ['Settled alone: settlements that share a script share its cost, and an entry of the stream.']
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

/** Empties the streams as control does, once for all requests of a round. Returns µs of Redis for each of them. */
async function measureCopying(link: RedisNode, requests: number): Promise<number> {
  const before = await readCpuMicros(link)
  let copied = 0
  for (const shard of accountShards) {
    const { entries } = await readReceipts(link, shard, entriesPerRead)
    if (entries.length === 0) continue
    await forgetReceipts(link, shard, entries.at(-1)!.id)
    copied += entries.reduce((sum, { receipts }) => sum + receipts.length, 0)
  }
  if (copied !== requests) throw new Error(`${copied} receipts of ${requests} requests were found`)
  return ((await readCpuMicros(link)) - before) / requests
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
