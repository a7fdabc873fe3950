import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type { Catalog } from '@tollgate/contracts/catalog/catalog.ts'
import { answers } from '@tollgate/contracts/http/error.ts'
import { PricedModelsResponse } from '@tollgate/contracts/http/offered-models.ts'
import type { RedisLink } from '@tollgate/state/link/redis-link.ts'
import { readSpokenApis } from '@tollgate/state/processes/heartbeat.ts'
import { eq } from 'drizzle-orm'
import type { FastifyInstance } from 'fastify'
import { principalOf } from '../callers/principal.ts'
import type { CatalogPublisher } from '../catalog/catalog-publisher.ts'
import { effectivePlan } from '../catalog/plans.ts'
import type { Clock } from '../clocks/clock.ts'
import type { Database } from '../database/connect.ts'
import { accounts } from '../database/schema/accounts.ts'
import { describeModels } from './describe-models.ts'

export interface ModelsOptions {
  database: Database
  redis: RedisLink
  catalog: Catalog
  catalogPublisher: Pick<CatalogPublisher, 'leftOutModels'>
  clock: Clock
}

/** `/api/models`: the models of the account's plan and of plans on sale, with all their prices. */
export async function modelRoutes(
  instance: FastifyInstance,
  { database, redis, catalog, catalogPublisher, clock }: ModelsOptions
): Promise<void> {
  const app = instance.withTypeProvider<TypeBoxTypeProvider>()
  app.get(
    '/',
    {
      onRequest: app.requireAccount,
      schema: {
        operationId: 'listPricedModels',
        summary: 'List the models of the account’s plan and of plans on sale, with their prices',
        description: 'For a key alone, `GET /v1/models` of the gateway lists the models that it may use.',
        response: answers({ 200: PricedModelsResponse })
      }
    },
    async (request) => {
      const { accountId } = principalOf(request)
      const [rows, leftOut, spoken] = await Promise.all([
        database.orm.select({ plan: accounts.planInForce }).from(accounts).where(eq(accounts.id, accountId)),
        catalogPublisher.leftOutModels(),
        readSpokenApis(redis)
      ])
      const plan = effectivePlan(catalog, rows[0]?.plan ?? null)
      const { name } = catalog.plans[plan]!
      return { plan: { id: plan, name }, models: describeModels(catalog, { plan, leftOut, spoken, now: clock() }) }
    }
  )
}
