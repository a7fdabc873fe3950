import type { OpenApiDocument } from '@tollgate/contracts/openapi/document.ts'
import { RedisAwayError, type RedisLink } from '@tollgate/state/link/redis-link.ts'
import { composeControl } from './compose.ts'
import { loadControlConfig } from './config.ts'
import { openDatabase } from './database/connect.ts'
import { createLog } from './http/log.ts'
import { createControlMetrics } from './metrics/control-metrics.ts'

const unused = 'http://unused.invalid'
const env = {
  PUBLIC_URL: unused,
  SUPABASE_URL: unused,
  SUPABASE_ANON_KEY: 'unused',
  SUPABASE_SERVICE_ROLE_KEY: 'unused',
  STRIPE_SECRET_KEY: 'unused',
  STRIPE_WEBHOOK_SECRET: 'whsec_unusedUnused',
  DATABASE_URL: 'postgres://unused.invalid/unused',
  REDIS_URL: 'redis://unused.invalid'
}

const awayRedis: RedisLink = {
  isSpread: false,
  nodeOf() {
    throw new RedisAwayError()
  },
  nodes: () => [],
  isReady: () => false,
  ready: () => Promise.reject(new RedisAwayError()),
  flush() {},
  onChange: () => () => undefined,
  subscribe: () => () => undefined,
  close: async () => undefined
}

/** What `GET /api/openapi.json` answers, but for the installation's name and address. Nothing listens or connects. */
export async function readApiDocument(): Promise<OpenApiDocument> {
  const config = loadControlConfig(env)
  // It connects with the first query.
  const database = await openDatabase(config.databaseUrl)
  const metrics = createControlMetrics()
  const control = composeControl({ config, log: createLog('silent'), database, redis: awayRedis, metrics })
  await control.app.ready()
  const document = control.app.swagger() as OpenApiDocument
  await control[Symbol.asyncDispose]()
  await database.close()
  return document
}
