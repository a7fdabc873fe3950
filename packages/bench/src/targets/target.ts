import type { Child, Children } from '../processes/children.ts'

/** What a target needs to know of the bench that starts it. */
export interface TargetContext {
  children: Children
  upstreamPort: number
  /** The core for the measured process; null leaves it unpinned. */
  core: number | null
  /** Flags for the measured Node process, such as `--inspect`. */
  nodeFlags: readonly string[]
}

/** A proxy that is up. It may still need a moment until it answers. */
export interface RunningTarget {
  port: number
  /** The process whose CPU time and memory are measured. */
  child: Child
  /** The model that requests to it name. */
  model: string
  /** Credentials, at least one and all of the same length: requests are spread over them evenly. */
  apiKeys: readonly string[]
  /** Processes that work for it elsewhere, such as Redis: name → process id. Their CPU time is shown apart. */
  helpers: Record<string, number>
  /** Its Redis, if that counts what it is asked. */
  redisUrl: string | null
  stop(): Promise<void>
}

/** A proxy that can be measured: accepts `POST /v1/chat/completions` and passes it to the upstream of the bench. */
export interface Target {
  name: string
  /** One line for the head of the report. */
  description: string
  start(context: TargetContext): Promise<RunningTarget>
}
