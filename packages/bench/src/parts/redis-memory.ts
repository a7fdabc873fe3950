import { startRedis } from '@tollgate/sandbox/redis/start-redis.ts'
import { connectServer } from '@tollgate/state/link/connect-redis.ts'
import type { RedisNode } from '@tollgate/state/link/redis-link.ts'
import { createKeys, runRequest } from '../redis/scripted-requests.ts'
import { formatNumber } from '../report/table.ts'
import type { Part } from './part.ts'

const accounts = 10
const keysEach = 10
const intervals = 10
/** The number of concurrent requests of each key. */
const requestsAtOnce = 2

/** Redis' own figures after a number of requests. */
interface Sample {
  requests: number
  usedMemoryBytes: number
  keys: number
  /** User and system time of the Redis process per request, since the last sample. */
  cpuMicrosPerRequest: number
}

/** Runs only the scripts of requests, and measures the memory and CPU time of Redis. */
export const redisMemory: Part = {
  name: 'redis-memory',
  summary: 'memory and CPU time of Redis over a million scripted requests of 100 keys',
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
      const samples = await measure(link, bench.timing.redisRequests, bench.progress)
      return {
        sections: [
          {
            title: `Redis under ${formatNumber(bench.timing.redisRequests, 0)} requests of ${accounts * keysEach} keys`,
            table: {
              head: ['requests', 'used memory, KB', 'keys', 'CPU per request, µs'],
              rows: samples.map(({ requests, usedMemoryBytes, keys, cpuMicrosPerRequest }) => [
                formatNumber(requests, 0),
                formatNumber(usedMemoryBytes / 1000, 0),
                formatNumber(keys, 0),
                requests === 0 ? '' : formatNumber(cpuMicrosPerRequest, 1)
              ])
            },
            notes: ['Each request is two commands, one to admit it and one to settle it, in pipelines.']
          }
        ],
        figures: { server: server.kind, samples }
      }
    } finally {
      await link.close()
      await server.stop()
    }
  }
}

async function measure(link: RedisNode, total: number, progress: (line: string) => void): Promise<Sample[]> {
  const keys = await createKeys(link, accounts, keysEach)
  const samples: Sample[] = []
  let requests = 0
  let { cpuMicros } = await readServer(link)
  const sample = async (since: number) => {
    const now = await readServer(link)
    samples.push({ requests, ...now, cpuMicrosPerRequest: (now.cpuMicros - cpuMicros) / Math.max(1, since) })
    cpuMicros = now.cpuMicros
  }
  await sample(0)
  const share = total / intervals
  for (let interval = 1; interval <= intervals; interval++) {
    progress(`redis-memory: ${interval} of ${intervals}`)
    const before = requests
    while (requests < share * interval) {
      const round = Array.from({ length: requestsAtOnce }, () => keys.map((key) => runRequest(link, key)))
      await Promise.all(round.flat())
      requests += round.length * keys.length
    }
    await sample(requests - before)
  }
  return samples
}

async function readServer(link: RedisNode): Promise<{ usedMemoryBytes: number; keys: number; cpuMicros: number }> {
  const info = await link.client.info()
  const field = (name: string) => Number(new RegExp(`^${name}:([\\d.]+)`, 'm').exec(info)?.[1])
  return {
    usedMemoryBytes: field('used_memory'),
    keys: await link.client.dbsize(),
    cpuMicros: (field('used_cpu_user') + field('used_cpu_sys')) * 1e6
  }
}
