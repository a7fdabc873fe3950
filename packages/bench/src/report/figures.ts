import type { Window } from '../load/protocol.ts'
import type { RedisCounts } from '../load/redis-counters.ts'

/** What one window says about one side. Shares are of one core. */
export interface WindowFigures {
  answersPerSecond: number
  eventsPerSecond: number
  cpuMicrosPerAnswer: number
  cpuMicrosPerEvent: number
  /** CPU time of helpers, such as Redis, per answer: name → microseconds. */
  helperMicrosPerAnswer: Record<string, number>
  /** What Redis was asked, per answer; null for a side without one that counts. */
  redisPerAnswer: RedisCounts | null
  measuredShare: number
  /** Upstream, load generator and helpers together: what shares the other core. */
  loadShare: number
  /** What other programs on the machine took, also of the measured core: a source of noise. */
  otherShare: number
  stolenShare: number
}

/** Divides the counts of a window. Per-answer figures are infinite if nothing was answered. */
export function windowFigures({ seconds, answers, events, cpuNanos, redis, machineSeconds }: Window): WindowFigures {
  const { measured = 0, upstream = 0, load = 0, ...helpers } = cpuNanos
  const helperNanos = Object.values(helpers).reduce((sum, nanos) => sum + nanos, 0)
  const core = (nanos: number) => nanos / 1e9 / seconds
  const loadShare = core(upstream + load + helperNanos)
  return {
    answersPerSecond: answers / seconds,
    eventsPerSecond: events / seconds,
    cpuMicrosPerAnswer: measured / 1000 / answers,
    cpuMicrosPerEvent: measured / 1000 / events,
    helperMicrosPerAnswer: divided(helpers, 1000 * answers),
    redisPerAnswer: redis && { calls: divided(redis.calls, answers), reads: redis.reads / answers },
    measuredShare: core(measured),
    loadShare,
    otherShare: Math.max(0, machineSeconds.busy / seconds - core(measured) - loadShare),
    stolenShare: machineSeconds.stolen / seconds
  }
}

function divided(amounts: Record<string, number>, by: number): Record<string, number> {
  return Object.fromEntries(Object.entries(amounts).map(([name, amount]) => [name, amount / by]))
}

// Shares of a core above which other programs, or the hypervisor, spoil a window.
const disturbance = { other: 0.1, stolen: 0.02 }

/** Whether nothing else took a noticeable part of the machine in a window. */
export function isQuiet({ otherShare, stolenShare }: WindowFigures): boolean {
  return otherShare <= disturbance.other && stolenShare <= disturbance.stolen
}
