import type { RedisCounts } from './redis-counters.ts'

/** A request to be written to a socket again and again, and the shape of its answer. */
export interface RequestPlan {
  port: number
  /** Head and body. */
  text: string
  /** The byte at which each request gets another key of the last `keys` command. All keys are equally long. */
  keyAt?: number
  /** The byte at which each request gets another number of 16 digits. */
  numberAt?: number
  /** The number of server-sent events of a complete answer; 0: the answer is not a stream. */
  events: number
}

/** Sets the keys for requests that carry different keys; see `KeyRing`. */
export interface KeysCommand {
  kind: 'keys'
  keys: readonly string[]
}

/** Opens connections. Each sends the request, and repeats it whenever its answer has ended. */
export interface OpenCommand {
  kind: 'open'
  plan: RequestPlan
  connections: number
  /** The connections are opened evenly over this time. */
  overMs: number
}

/** For a while, counts what the open connections receive, the CPU time of processes, and the commands of a Redis. */
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
  /** Whether requests in flight may end first; if false, open streams are cut off. */
  drain: boolean
}

/** Sends requests at fixed intervals, whether or not earlier ones have been answered, and measures their times. */
export interface LatencyCommand {
  kind: 'latency'
  plan: RequestPlan
  perSecond: number
  /** The time before the measurement, in which connections open and caches fill. */
  rampMs: number
  forMs: number
  /** The end of the measured time: the end of the answer, or the first server-sent event. */
  until: 'end' | 'first-event'
}

export type LoadCommand = KeysCommand | OpenCommand | MeasureCommand | CloseCommand | LatencyCommand

/** The counts of a measured window. */
export interface Window {
  seconds: number
  answers: number
  events: number
  /** CPU nanoseconds of every watched process. */
  cpuNanos: Record<string, number>
  /** How often the process `measured` asked the kernel to write. */
  writes: number
  /** The work of the watched Redis; null without Redis. */
  redis: RedisCounts | null
  /** CPU seconds of everything on the machine, the bench included, and CPU seconds that the hypervisor took. */
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
