import type { Window } from '../load/protocol.ts'

/** What one window says about one side. Shares are of one core. */
export interface WindowFigures {
  answersPerSecond: number
  eventsPerSecond: number
  cpuMicrosPerAnswer: number
  cpuMicrosPerEvent: number
  /** CPU time of helpers, such as Redis, per answer: name → microseconds. */
  helperMicrosPerAnswer: Record<string, number>
  measuredShare: number
  /** Upstream, load generator and helpers together: what shares the other core. */
  loadShare: number
  /** What other programs on the machine took, also of the measured core: a source of noise. */
  otherShare: number
  stolenShare: number
}

/** Divides the counts of a window. Per-answer figures are infinite if nothing was answered. */
export function windowFigures({ seconds, answers, events, cpuNanos, machineSeconds }: Window): WindowFigures {
  const { measured = 0, upstream = 0, load = 0, ...helpers } = cpuNanos
  const helperNanos = Object.values(helpers).reduce((sum, nanos) => sum + nanos, 0)
  const core = (nanos: number) => nanos / 1e9 / seconds
  const loadShare = core(upstream + load + helperNanos)
  return {
    answersPerSecond: answers / seconds,
    eventsPerSecond: events / seconds,
    cpuMicrosPerAnswer: measured / 1000 / answers,
    cpuMicrosPerEvent: measured / 1000 / events,
    helperMicrosPerAnswer: Object.fromEntries(
      Object.entries(helpers).map(([name, nanos]) => [name, nanos / 1000 / answers])
    ),
    measuredShare: core(measured),
    loadShare,
    otherShare: Math.max(0, machineSeconds.busy / seconds - core(measured) - loadShare),
    stolenShare: machineSeconds.stolen / seconds
  }
}

// Shares of a core above which other programs, or the hypervisor, spoil a window.
const disturbance = { other: 0.1, stolen: 0.02 }

/** Whether nothing else took a noticeable part of the machine in a window. */
export function isQuiet({ otherShare, stolenShare }: WindowFigures): boolean {
  return otherShare <= disturbance.other && stolenShare <= disturbance.stolen
}
