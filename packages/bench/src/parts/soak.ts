import { setTimeout as delay } from 'node:timers/promises'
import type { Bench } from '../bench.ts'
import { isRunning } from '../children.ts'
import { readCpuNanos } from '../measure/machine.ts'
import { formatNumber } from '../report/table.ts'
import { SoakClient } from '../soak/answers.ts'
import { judgeSamples } from '../soak/judge-samples.ts'
import { kinds } from '../soak/kinds.ts'
import { labelOf, renderSamples, renderTallies } from '../soak/report.ts'
import { startLoad } from '../soak/run-load.ts'
import { type SoakSystem, startSoak } from '../soak/start-soak.ts'
import { countSockets, watch } from '../soak/watch.ts'
import type { Part } from './part.ts'

const clients = 40
/** The time in which the upstream must see that a client has left. */
const leaveTimeoutMs = 5000
/** Longer than idle connections to the upstream stay open. */
const settleTimeoutMs = 15_000
const maxSamples = 600
const collections = 60

/** Sends mixed traffic with failing upstreams, long enough to find leaks. */
export const soak: Part = {
  name: 'soak',
  summary: 'ten minutes of mixed traffic with failing upstreams: wrong answers and growth are faults',
  onlyIfNamed: true,
  async run(bench) {
    const system = await startSoak(bench)
    try {
      return await measure(bench, system)
    } finally {
      await system.stop()
    }
  }
}

async function measure(bench: Bench, system: SoakSystem) {
  const { soakMs } = bench.timing
  const { pid } = system.gateway
  const socketsBefore = countSockets(pid)
  const redisBefore = system.redisPid === null ? 0 : readCpuNanos(system.redisPid)
  const client = new SoakClient(system.url, system.apiKey)
  const load = startLoad(
    kinds,
    {
      client,
      wasLeft: async (requestId) =>
        (await system.upstream({ kind: 'aborted', requestId, withinMs: leaveTimeoutMs })) === true
    },
    clients
  )
  const everyMs = Math.min(Math.max(soakMs / maxSamples, 100), 1000)
  const { metricsUrl, inspector } = system
  const collectEveryMs = soakMs / collections
  const watched = watch({ pid, metricsUrl, inspector, everyMs, collectEveryMs }, () => load.total)
  await runFor(bench, system, soakMs, () => load.total)
  await watched.stop()
  await load.stop()
  await client.close()
  const socketsAfter = await untilSettled(pid, socketsBefore)
  const openCalls = Number(await system.upstream({ kind: 'open' }))
  const redisNanos = system.redisPid === null ? 0 : readCpuNanos(system.redisPid) - redisBefore

  const { samples } = watched
  const judged = judgeSamples(samples, soakMs)
  const tallies = [...load.tallies]
  const [first, last] = [samples[0]!, samples.at(-1)!]
  const requests = last.requests - first.requests
  const cpuMicros = (last.cpuNanos - first.cpuNanos) / requests / 1000
  const faults = [
    ...tallies.flatMap(([kind, { outcomes, examples }]) =>
      outcomes.unexpected === 0 ? [] : [[`${outcomes.unexpected} × ${labelOf(kind)}`, ...examples].join('\n  ')]
    ),
    ...judged.flatMap(({ name, growth, summary }) =>
      growth?.isLevel === false ? [`${name} has grown: ${summary}`] : []
    ),
    ...(socketsAfter > socketsBefore ? [`${socketsAfter} sockets are open, ${socketsBefore} at the start`] : []),
    ...(openCalls > 0 ? [`${openCalls} upstream calls are still open`] : [])
  ]
  return {
    sections: [
      {
        title: `soak: ${clients} clients, ${formatNumber(soakMs / 60_000, 1)} minutes`,
        table: renderTallies(tallies),
        notes: []
      },
      {
        title: 'soak: the gateway over time (medians)',
        table: renderSamples(samples),
        notes: [
          ...judged.map(({ name, summary }) => `${name}: ${summary}`),
          `open sockets: ${socketsBefore} at the start, ${socketsAfter} at the end; open upstream calls: ${openCalls}`,
          `CPU per request: ${formatNumber(cpuMicros, 0)} µs, Redis ${formatNumber(redisNanos / load.total / 1000, 0)} µs`
        ]
      }
    ],
    figures: {
      clients,
      soakMs,
      tallies: tallyFigures(tallies),
      samples,
      judged,
      socketsBefore,
      socketsAfter,
      openCalls
    },
    faults
  }
}

function tallyFigures(tallies: ReadonlyArray<readonly [{ name: string; failure: string | null }, object]>): object[] {
  return tallies.map(([{ name, failure }, tally]) => ({ name, failure, ...tally }))
}

/** Waits for the end of the soak. @throws with the gateway's last output if the gateway ends */
async function runFor(bench: Bench, { gateway }: SoakSystem, ms: number, total: () => number): Promise<void> {
  const began = performance.now()
  const reportEveryMs = 10_000
  while (performance.now() < began + ms) {
    await delay(Math.min(reportEveryMs, began + ms - performance.now()))
    if (!isRunning(gateway)) throw new Error(`the gateway has ended. Its last output:\n${gateway.output()}`)
    const seconds = Math.round((performance.now() - began) / 1000)
    bench.progress(`soak: ${seconds} of ${ms / 1000} s, ${formatNumber(total(), 0)} requests`)
  }
}

/** Waits until idle connections have closed. @returns the number of sockets */
async function untilSettled(pid: number, expected: number): Promise<number> {
  const deadline = performance.now() + settleTimeoutMs
  while (countSockets(pid) > expected && performance.now() < deadline) await delay(100)
  return countSockets(pid)
}
