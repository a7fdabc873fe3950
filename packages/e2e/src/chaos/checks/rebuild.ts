import { readFileSync } from 'node:fs'
import { loadavg } from 'node:os'
import { setTimeout as delay } from 'node:timers/promises'
import type { Check } from '../fault.ts'
import { type ChaosSystem, startChaosSystem } from '../system/chaos-system.ts'
import { keysInAccount, seedMany, untilProjected } from '../system/seed.ts'
import { rawChat, type Sent, sendSteadily } from '../traffic/send-steadily.ts'

const keyCount = 1_000_000
const perSecond = 40
const timeoutMs = 900_000
const question = { model: 'quick', max_tokens: 1, messages: [{ role: 'user', content: 'Hi' }] }

/** Control refills an emptied Redis with a million keys while clients use some of them. */
export const rebuild: Check = {
  name: 'rebuild',
  summary: `control refills an emptied Redis with ${keyCount / 1e6} M keys of ${keyCount / keysInAccount / 1000} k accounts`,
  onlyIfNamed: true,
  async run() {
    const system = await startChaosSystem()
    if (system === null) throw new Error('this needs redis-server (or valkey-server) and PostgreSQL')
    try {
      await seedMany(system.sql, keyCount)
      await untilProjected(system.sql, system.link, timeoutMs)
      return await measure(system)
    } finally {
      await system.stop()
    }
  }
}

async function measure(system: ChaosSystem): Promise<{ seen: string[]; broken: string[] }> {
  const { accounts, gateways, link, controls, redis } = system
  const sent: Sent[] = []
  let next = 0
  const traffic = sendSteadily(perSecond, async (number) => {
    // Uses one key of each account, in order, so that many accounts soon have requests.
    const key = accounts[next++ % accounts.length]!.keys[0]!
    sent.push(await rawChat(gateways[number % gateways.length]!.url, key, question))
  })
  await delay(3000)
  const before = sent.splice(0)
  const fullBytes = await usedMemory(system)
  const restsMb = controls.map(({ part }) => memoryMb(part.pid, 'VmRSS'))
  const [load] = loadavg()

  const emptiedAt = performance.now()
  await redis.ask((client) => client.flushall())
  await untilProjected(system.sql, link, timeoutMs)
  const rebuiltMs = performance.now() - emptiedAt
  await delay(3000)
  await traffic.stop()

  const meanwhile = sent.filter(({ sentAt }) => sentAt >= emptiedAt)
  const servedFrom = new Map<string, number>()
  for (const { account, outcome, answeredAt } of meanwhile.toSorted(
    (one, other) => one.answeredAt - other.answeredAt
  )) {
    if (outcome === '200' && !servedFrom.has(account)) servedFrom.set(account, answeredAt)
  }
  const again = meanwhile.filter(
    ({ account, sentAt }) => sentAt > (servedFrom.get(account) ?? Number.POSITIVE_INFINITY)
  )
  const failedAgain = again.filter(({ outcome }) => outcome !== '200')
  const others = meanwhile.filter(({ outcome }) => outcome !== '200' && outcome !== '503 state_unavailable')
  const servedAfterMs = [...servedFrom.values()].map((at) => at - emptiedAt).toSorted((one, other) => one - other)
  const seen = [
    `rebuilt after                    ${(rebuiltMs / 1000).toFixed(1)} s (load average ${load!.toFixed(1)})`,
    `memory of Redis                  ${megabytes(fullBytes)} MB before, ${megabytes(await usedMemory(system))} MB after`,
    `memory of control                ${restsMb.join(' and ')} MB before, ${controls.map(({ part }) => memoryMb(part.pid, 'VmHWM')).join(' and ')} MB at most`,
    `accounts served again            half of them after ${seconds(servedAfterMs[Math.floor(servedAfterMs.length / 2)])}, all after ${seconds(servedAfterMs.at(-1))}`,
    `requests of accounts served again  ${again.length}, ${failedAgain.length} of them failed; median ${median(again)} ms, ${median(before)} ms before`,
    `answers other than 503           ${others.length}`
  ]
  const broken = [...failedAgain, ...others].map(({ outcome }) => `an account got ${outcome}`)
  return { seen, broken: [...new Set(broken)] }
}

async function usedMemory({ redis }: ChaosSystem): Promise<number> {
  const info = await redis.ask((client) => client.info('memory'))
  return Number(/^used_memory:(\d+)/m.exec(info)?.[1])
}

function memoryMb(pid: number | null, field: 'VmRSS' | 'VmHWM'): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  return Math.round(Number(new RegExp(`^${field}:\\s+(\\d+)`, 'm').exec(status)?.[1]) / 1024)
}

function median(sent: readonly Sent[]): number {
  const times = sent.map(({ sentAt, answeredAt }) => answeredAt - sentAt).toSorted((one, other) => one - other)
  return Math.round(times[Math.floor(times.length / 2)] ?? Number.NaN)
}

const megabytes = (bytes: number): string => (bytes / 2 ** 20).toFixed(0)
const seconds = (ms: number | undefined): string => (ms === undefined ? 'never' : `${(ms / 1000).toFixed(1)} s`)
