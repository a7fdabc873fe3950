import { checkDocsUrl, checkTrustProxy, logSettings, maxTimerMs } from '@tollgate/service/config/common-settings.ts'
import { loadConfig } from '@tollgate/service/config/load-config.ts'
import { checkUrlPassword } from '@tollgate/service/config/secret-files.ts'
import { checkTraces, traceVariables } from '@tollgate/service/tracing/tracing.ts'
import { workspaceFile } from '@tollgate/service/workspace.ts'
import { checkRedisUrl } from '@tollgate/state/link/redis-url.ts'
import { type Static, Type } from 'typebox'
import { checkIdempotency } from './idempotency/idempotency.ts'
import { checkWorkers } from './workers/worker-pool.ts'

const Port = (defaultPort: number) => Type.Integer({ minimum: 0, maximum: 65535, default: defaultPort })

/** Default of the longest request, ms. */
const longestRequestMs = 900_000

/** Every variable of the gateway. The upstreams file names the variables with upstreams' credentials. */
export const GatewayConfig = Type.Object({
  GATEWAY_HOST: Type.String({ default: '127.0.0.1' }),
  GATEWAY_PORT: Port(8080),
  /** Processes that share the port: a number, or `auto` for one per core. Each has the limits below for itself. */
  GATEWAY_WORKERS: Type.String({
    pattern: '^(auto|[1-9][0-9]{0,2})$',
    must: 'auto, or a number from 1 to 999',
    default: '1'
  }),
  /** Address of `/livez`, `/readyz` and `/metrics`, for the operator's network only. */
  GATEWAY_ADMIN_HOST: Type.String({ default: '127.0.0.1' }),
  GATEWAY_ADMIN_PORT: Port(9090),
  /** See `parseRedisUrl`. */
  REDIS_URL: Type.String({ where: 'Set redis://[[user]:password@]host[:port]: the same Redis as control' }),
  /** Milliseconds without an answer after which the gateway considers Redis away. */
  REDIS_TIMEOUT_MS: Type.Integer({ minimum: 10, maximum: 60_000, default: 1000 }),
  /** Milliseconds that requests in flight get to finish after SIGTERM. The default lets the longest request finish. */
  GATEWAY_DRAIN_MS: Type.Integer({ minimum: 0, maximum: maxTimerMs, default: longestRequestMs }),
  /** Proxies trusted to set `X-Forwarded-For`; see `readTrustProxy`. */
  TRUST_PROXY: Type.String({ default: 'false' }),
  /** Requests with an invalid key that one client address may make per minute. */
  GATEWAY_FAILED_KEYS_PER_MINUTE: Type.Integer({ minimum: 1, default: 60 }),
  /** Maximum of open client connections. The gateway closes further ones at once. */
  GATEWAY_MAX_CONNECTIONS: Type.Integer({ minimum: 1, default: 20_000 }),
  /** Milliseconds in which the head of a request must arrive, and the whole request. */
  GATEWAY_HEADERS_TIMEOUT_MS: Type.Integer({ minimum: 100, maximum: maxTimerMs, default: 20_000 }),
  GATEWAY_REQUEST_TIMEOUT_MS: Type.Integer({ minimum: 100, maximum: maxTimerMs, default: 120_000 }),
  /**
   * Milliseconds that a body may lag behind its minimum rate: 16 KiB/s, or 1/90 of its length per second if that is
   * more.
   */
  GATEWAY_SLOW_BODY_MS: Type.Integer({ minimum: 100, maximum: maxTimerMs, default: 10_000 }),
  /**
   * Maximum MiB of request bodies in memory. At least twice the largest body, because a decoder may need as much again.
   */
  GATEWAY_BODY_MEMORY_MB: Type.Integer({ minimum: 64, maximum: 1_000_000, default: 256 }),
  /** Milliseconds after which a client that reads nothing of its answer is disconnected. */
  GATEWAY_SLOW_READER_MS: Type.Integer({ minimum: 100, maximum: maxTimerMs, default: 60_000 }),
  /** Maximum milliseconds of a request, from its admission on. Its hold lasts a minute longer. */
  GATEWAY_LONGEST_REQUEST_MS: Type.Integer({ minimum: 1000, maximum: 86_400_000, default: longestRequestMs }),
  /**
   * Streams that the gateway reads to their end at the same time after their clients have left. It aborts further ones,
   * and charges what it reserved for them if their providers may bill more than the part that arrived.
   */
  GATEWAY_MAX_ABANDONED_STREAMS: Type.Integer({ minimum: 0, default: 256 }),
  /** MiB of answers in Redis for repeated requests with an `Idempotency-Key`. 0: the gateways ignore the header. */
  IDEMPOTENCY_MEMORY_MB: Type.Integer({ minimum: 0, maximum: 1_000_000, default: 256 }),
  /** Whether the gateway writes a receipt of each request for the request log. */
  REQUEST_LOG: Type.Enum(['on', 'off'], { default: 'on' }),
  /**
   * MiB of receipts in Redis until control copies them. Above that, the oldest are dropped. A 256th of it is for each
   * shard of accounts; 16 times that while control copies them.
   */
  REQUEST_LOG_MEMORY_MB: Type.Integer({ minimum: 16, maximum: 1_000_000, default: 256 }),
  /** Whether receipts have the addresses of clients. */
  REQUEST_LOG_ADDRESSES: Type.Enum(['true', 'false'], { default: 'false' }),
  UPSTREAMS_FILE: Type.String({ default: workspaceFile('deploy/upstreams.yaml') }),
  /** Address of the operator's documentation: each error links to `<DOCS_URL>/errors/<code>`. Empty: no links. */
  DOCS_URL: Type.String({ default: '' }),
  ...logSettings,
  ...traceVariables
})
export type GatewayConfig = Static<typeof GatewayConfig>

/** @throws ConfigError naming every bad variable */
export function loadGatewayConfig(env: Record<string, string | undefined>): Readonly<GatewayConfig> {
  return loadConfig(GatewayConfig, env, [
    (variables) => checkUrlPassword('REDIS_URL', variables.REDIS_URL) ?? checkRedisUrl(variables),
    checkTrustProxy,
    checkDocsUrl,
    checkTraces,
    checkWorkers,
    checkIdempotency
  ])
}
