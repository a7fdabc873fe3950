import { need } from '@tollgate/sandbox/need.ts'
import { startPostgres } from '@tollgate/sandbox/postgres/start-postgres.ts'
import { startRedis } from '@tollgate/sandbox/redis/start-redis.ts'
import type { Test } from 'tap'
import { createDatabase } from '../../testing/create-database.ts'
import { startControl } from '../../testing/start-control.ts'
import { actions, startCatalogPayments } from './start-billing.ts'

/** Two replicas of control over one PostgreSQL, one Redis, one identity provider and one payments server. */
export async function startReplicas(t: Test) {
  const server = await startPostgres()
  if (!need(t, 'PostgreSQL', server)) return null
  t.after(() => server.stop())
  const redis = await startRedis({ port: 0 })
  t.after(() => redis.stop())
  const payments = await startCatalogPayments()
  t.after(() => payments.close())
  const options = { databaseUrl: await createDatabase(server.url), redisUrl: redis.url, paymentsUrl: payments.url }
  const one = await startControl(options)
  t.after(() => one.close())
  const two = await startControl({ ...options, identityUrl: one.identity.url })
  t.after(() => two.close())
  return { one, two, payments, ...actions(one, payments) }
}
