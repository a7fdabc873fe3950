import { version } from '@tollgate/service/version.ts'
import type { RedisLink } from '@tollgate/state/link/redis-link.ts'
import Fastify, { type FastifyInstance } from 'fastify'
import type { Registry } from 'prom-client'
import type { LiveCatalog } from '../catalog/live-catalog.ts'

/**
 * Serves `/livez`, `/readyz` and `/metrics`, on a separate port that clients cannot reach.
 * The problems of upstreams do not change the status of `/readyz`: other models still work.
 *
 * @param problems of upstreams, without secrets
 */
export function buildAdmin(
  redis: RedisLink,
  catalog: LiveCatalog,
  registry: Registry,
  isStopping: () => boolean,
  problems: () => readonly object[]
): FastifyInstance {
  const admin = Fastify()
  admin.get('/livez', async () => ({ ok: true, version }))
  admin.get('/readyz', async (_request, reply) => {
    const parts = { redis: redis.isReady(), catalog: catalog.current() !== null, stopping: isStopping() }
    return reply
      .code(parts.redis && parts.catalog && !parts.stopping ? 200 : 503)
      .send({ ...parts, problems: problems() })
  })
  admin.get('/metrics', async (_request, reply) => reply.type(registry.contentType).send(await registry.metrics()))
  return admin
}
