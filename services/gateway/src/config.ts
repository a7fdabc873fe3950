import { checkDocsUrl } from '@tollgate/service/config/docs-url.ts'
import { loadConfig } from '@tollgate/service/config/load-config.ts'
import { checkTrustProxy } from '@tollgate/service/config/trust-proxy.ts'
import { workspaceFile } from '@tollgate/service/workspace.ts'
import { checkRedisUrl } from '@tollgate/state/link/redis-url.ts'
import { type Static, Type } from 'typebox'

const Port = (initial: number) => Type.Integer({ minimum: 0, maximum: 65535, default: initial })

/** Every variable of the gateway; those that hold upstreams' credentials are named in the upstreams file. */
export const GatewayConfig = Type.Object({
  GATEWAY_HOST: Type.String({ default: '127.0.0.1' }),
  GATEWAY_PORT: Port(8080),
  /** `/livez`, `/readyz` and `/metrics`: for the operator's network only. */
  GATEWAY_ADMIN_HOST: Type.String({ default: '127.0.0.1' }),
  GATEWAY_ADMIN_PORT: Port(9090),
  /** See `parseRedisUrl`. */
  REDIS_URL: Type.String(),
  /** Milliseconds of silence, while an answer is due, after which Redis counts as away. */
  REDIS_TIMEOUT_MS: Type.Integer({ minimum: 10, maximum: 60_000, default: 1000 }),
  /** Milliseconds that requests under way have to finish after SIGTERM. */
  GATEWAY_DRAIN_MS: Type.Integer({ minimum: 0, default: 600_000 }),
  /** Whose `X-Forwarded-For` is believed; see `readTrustProxy`. */
  TRUST_PROXY: Type.String({ default: 'false' }),
  /** How often a minute one client address may present something that is not a key. */
  GATEWAY_FAILED_KEYS_PER_MINUTE: Type.Integer({ minimum: 1, default: 60 }),
  /** Open connections of clients; more are closed as they come. */
  GATEWAY_MAX_CONNECTIONS: Type.Integer({ minimum: 1, default: 20_000 }),
  /** Milliseconds that the head of a request may take, and the whole request. */
  GATEWAY_HEADERS_TIMEOUT_MS: Type.Integer({ minimum: 100, default: 20_000 }),
  GATEWAY_REQUEST_TIMEOUT_MS: Type.Integer({ minimum: 100, default: 120_000 }),
  /** Milliseconds that a request body may fall behind 16 KiB a second, or behind a ninetieth of its length a second. */
  GATEWAY_SLOW_BODY_MS: Type.Integer({ minimum: 100, default: 10_000 }),
  /** MiB of request bodies that are held at the same time. At least twice the largest body: a decoder may need as much. */
  GATEWAY_BODY_MEMORY_MB: Type.Integer({ minimum: 64, maximum: 1_000_000, default: 256 }),
  /** Milliseconds that a client may take nothing of its answer. */
  GATEWAY_SLOW_READER_MS: Type.Integer({ minimum: 100, default: 60_000 }),
  /** Milliseconds that a request may take once it is admitted; what it may cost is reserved for a minute more. */
  GATEWAY_LONGEST_REQUEST_MS: Type.Integer({ minimum: 1000, maximum: 86_400_000, default: 900_000 }),
  /**
   * Streams that are read to their end at the same time although their clients have left. More are aborted, and charged what
   * was reserved for them.
   */
  GATEWAY_MAX_ABANDONED_STREAMS: Type.Integer({ minimum: 0, default: 256 }),
  UPSTREAMS_FILE: Type.String({ default: workspaceFile('deploy/upstreams.yaml') }),
  /** Address of the operator's documentation: each error links to `<DOCS_URL>/errors#<code>`. Empty: no links. */
  DOCS_URL: Type.String({ default: '' }),
  LOG_LEVEL: Type.Enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace'], { default: 'info' })
})
export type GatewayConfig = Static<typeof GatewayConfig>

/** @throws ConfigError naming every bad variable */
export function loadGatewayConfig(env: Record<string, string | undefined>): Readonly<GatewayConfig> {
  return loadConfig(GatewayConfig, env, [checkRedisUrl, checkTrustProxy, checkDocsUrl])
}
