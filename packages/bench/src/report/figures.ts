import type { Window } from '../load/protocol.ts'
import type { RedisCounts } from '../load/redis-counters.ts'

/** The figures of one side in one window. Shares are of one core. */
export interface WindowFigures {
  answersPerSecond: number
  eventsPerSecond: number
  cpuMicrosPerAnswer: number
  cpuMicrosPerEvent: number
  /** The CPU time of helpers, such as Redis, per answer: name → microseconds. */
  helperMicrosPerAnswer: Record<string, number>
  /** The work of Redis per answer; null if the side has no Redis with counters. */
  redisPerAnswer: RedisCounts | null
  measuredShare: number
  /** Upstream, load generator and helpers together, which share the other core. */
  loadShare: number
  /** The share of other programs on all cores: a source of noise. */
  otherShare: number
  stolenShare: number
}

/** Divides the counts of a window. Without answers, the figures per answer are infinite. */
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

// Larger shares of a core by other programs, or the hypervisor, disturb a window.
const disturbance = { other: 0.1, stolen: 0.02 }

/** Whether other programs and the hypervisor left a window undisturbed. */
export function isQuiet({ otherShare, stolenShare }: WindowFigures): boolean {
  return otherShare <= disturbance.other && stolenShare <= disturbance.stolen
}
