import type { ConnectionLimits } from '@tollgate/service/http/listen.ts'

/** Limits that protect the gateway from its clients. Times are milliseconds. */
export interface Protection extends ConnectionLimits {
  /** Proxies trusted to set `X-Forwarded-For`. */
  readonly trustProxy: boolean | string[]
  /** Invalid keys that one client address may present per minute. */
  readonly failuresPerMinute: number
  /** How long a request body may stay below its minimum rate. */
  readonly slowBodyMs: number
  /** How long a client may read nothing of its answer. */
  readonly slowReaderMs: number
  /** How long a request may take from its admission to the end of its answer. */
  readonly maxRequestMs: number
  /** How many streams the gateway reads to their end at the same time after their clients have left. */
  readonly maxAbandonedStreams: number
  /** How long a stopping gateway refuses requests on open connections before it closes them. */
  readonly lingerMs: number
}
