import type { RedisCounts } from './redis-counters.ts'

/** One request, ready to be written to a socket again and again, and what its answer must look like. */
export interface RequestPlan {
  port: number
  /** Head and body. */
  text: string
  /** Where in it, in bytes, a key is put before each sending: one of those that were told last, all as long as the one that stands there. */
  keyAt?: number
  /** Server-sent events of a complete answer; 0 for an answer that is not a stream. */
  events: number
}

/** Tells the keys for requests that carry different ones; see `KeyRing`. */
export interface KeysCommand {
  kind: 'keys'
  keys: readonly string[]
}

/** Opens connections that each send the request, and send it again whenever its answer has ended. */
export interface OpenCommand {
  kind: 'open'
  plan: RequestPlan
  connections: number
  /** The connections are opened evenly over this time. */
  overMs: number
}

/** Counts what the open connections receive for a while, and the CPU time of processes and the work of a Redis meanwhile. */
export interface MeasureCommand {
  kind: 'measure'
  forMs: number
  /** Name → process id. */
  watch: Record<string, number>
  /** The Redis whose counters are read. */
  redisUrl?: string | null
}

/** Ends all connections. */
export interface CloseCommand {
  kind: 'close'
  /** Let requests in flight end first; without, open streams are cut off. */
  drain: boolean
}

/** Sends requests at fixed intervals, whether or not earlier ones have been answered, and notes how long each took. */
export interface LatencyCommand {
  kind: 'latency'
  plan: RequestPlan
  perSecond: number
  /** Not counted; connections are opened and caches warmed in it. */
  rampMs: number
  forMs: number
  /** Which moment counts: the end of the answer, or the first server-sent event. */
  until: 'end' | 'first-event'
}

export type LoadCommand = KeysCommand | OpenCommand | MeasureCommand | CloseCommand | LatencyCommand

/** What happened in a measured window. */
export interface Window {
  seconds: number
  answers: number
  events: number
  /** CPU nanoseconds of every watched process. */
  cpuNanos: Record<string, number>
  /** What the watched Redis was asked; null without one. */
  redis: RedisCounts | null
  /** CPU seconds of everything that ran on the machine, also what is not of the bench, and those taken by the hypervisor. */
  machineSeconds: { busy: number; stolen: number }
}

export interface LoadResults {
  keys: null
  open: null
  measure: Window
  close: null
  /** Milliseconds, in the order of sending. */
  latency: number[]
}
