import { freePlan } from '@tollgate/contracts/catalog/catalog.ts'
import { ServiceError } from '@tollgate/contracts/errors/service-error.ts'
import { Credits, CurrentKey } from '@tollgate/contracts/http/current-key.ts'
import { judgeKey } from '@tollgate/contracts/keys/judge-key.ts'
import { planOf } from '@tollgate/contracts/records/budgets.ts'
import { readCounters } from '@tollgate/state/admission/read-counters.ts'
import { budgetField } from '@tollgate/state/keyspace/names.ts'
import type { RedisLink } from '@tollgate/state/link/redis-link.ts'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { allowancesOf, budgetsOf, countsOfFreeModels, countsOfKey } from '../../admission/allowances.ts'
import { confirmKey, recordsOf, throughRedis } from '../../admission/confirm-key.ts'
import { mayUseModel } from '../../admission/judge.ts'
import type { UseLog } from '../../admission/use-log.ts'
import { type LiveCatalog, loadedCatalog } from '../../catalog/live-catalog.ts'
import type { CountRead } from '../../free-calls/read-rate.ts'
import { errorsOf } from '../../http/error-format.ts'
import type { LiveUpstreams } from '../../upstreams/live-upstreams.ts'
import { describeCredits, describeKey, type KnownFacts, monthlyBudgets } from './describe-key.ts'

/** What `/v1/key` and `/v1/credits` need. */
export interface CurrentKeyDependencies {
  readonly redis: RedisLink
  readonly catalog: LiveCatalog
  readonly upstreams: Pick<LiveUpstreams, 'current'>
  readonly useLog: Pick<UseLog, 'used'>
  readonly countRead: CountRead
}

/**
 * `GET /v1/key` and `GET /v1/credits`: what the requesting key may use and what is left, in the shapes of OpenRouter's
 * API. They cost nothing, and need no budget.
 */
export function currentKey(app: FastifyInstance, dependencies: CurrentKeyDependencies): void {
  app.get('/v1/key', { schema: { response: { 200: CurrentKey } } }, async (request, reply) => {
    nameRequest(request, reply)
    return { data: describeKey(await readFacts(request, dependencies)) }
  })
  app.get('/v1/credits', { schema: { response: { 200: Credits } } }, async (request, reply) => {
    nameRequest(request, reply)
    const { counters, allowances } = await readFacts(request, dependencies)
    return describeCredits(monthlyBudgets(counters, allowances))
  })
}

function nameRequest(request: FastifyRequest, reply: FastifyReply): void {
  for (const name of errorsOf(request).requestIdHeaders) reply.header(name, request.id)
}

/** @throws ServiceError */
async function readFacts(request: FastifyRequest, dependencies: CurrentKeyDependencies): Promise<KnownFacts> {
  const { redis, catalog, upstreams, useLog, countRead } = dependencies
  const view = loadedCatalog(catalog)
  const known = request.knownKey!
  const { key: id, account: accountId } = known.pointer
  countRead(known)
  // The last records that were judged are those that Redis confirmed. Another request may replace the remembered ones.
  let records = recordsOf(known)
  await confirmKey(redis, known, (current) => {
    records = current
    return judgeKey(current, known.digest, request)
  })
  useLog.used(id)
  const budgets = budgetsOf(records.key!, records.account!)
  const counts = [...countsOfKey(id, records.key!), ...countsOfFreeModels(view.plan(planOf(records.account!)))]
  const fields = [...budgets.map(budgetField), ...counts.map(({ field }) => field)]
  const counters = await throughRedis(() => readCounters(redis, accountId, id, fields))
  const [key, account, verdict] = [records.key!, records.account!, judgeKey(records, known.digest, request)]
  if (counters === null) throw new ServiceError('state_unavailable')
  const plan = view.plan(planOf(account))
  const isFreePlan = plan === view.plan(freePlan)
  const { offers } = upstreams.current
  return {
    id,
    record: key,
    plan: { id: isFreePlan ? freePlan : planOf(account), name: plan.name },
    isFreePlan,
    models: [...view.models()].flatMap(([name, model]) =>
      mayUseModel(records, view, name) && offers.of(model).size > 0 ? [name] : []
    ),
    endsAt: verdict.allowed ? verdict.endsAt : null,
    allowances: allowancesOf(key, account, view, null),
    budgets,
    counts,
    counters
  }
}
