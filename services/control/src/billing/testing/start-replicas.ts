import { leaseRedis } from '@tollgate/sandbox/testing/lease-redis.ts'
import type { Test } from 'tap'
import { newServerDatabase } from '../../testing/databases.ts'
import { startControl } from '../../testing/start-control.ts'
import { actions, startCatalogPayments } from './start-billing.ts'

/** Two replicas of control over one PostgreSQL, one Redis, one identity provider and one payments server. */
export async function startReplicas(t: Test) {
  const databaseUrl = await newServerDatabase(t)
  if (databaseUrl === null) return null
  const redis = await leaseRedis()
  t.after(() => redis.giveBack())
  const payments = await startCatalogPayments()
  t.after(() => payments.close())
  const options = { databaseUrl, redisUrl: redis.url, paymentsUrl: payments.url }
  const one = await startControl(options)
  t.after(() => one.close())
  const two = await startControl({ ...options, identityUrl: one.identity.url })
  t.after(() => two.close())
  return { one, two, payments, ...actions(one, payments) }
}
