import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import { ServiceError } from '@tollgate/contracts/errors/service-error.ts'
import { answers } from '@tollgate/contracts/http/error.ts'
import { UsageRefusalsQuery, UsageRefusalsResponse } from '@tollgate/contracts/http/usage.ts'
import type { FastifyInstance } from 'fastify'
import { principalOf } from '../callers/principal.ts'
import { readKeyNames } from '../usage/read-key-spends.ts'
import { maxBuckets, usageRange } from '../usage/usage-range.ts'
import type { UsageOptions } from '../usage/usage-routes.ts'
import { readOpenRefusals, readRefusals } from './refusals.ts'

/** `/api/usage/refusals`: how many requests of the account were refused, and which keys refuse requests now. */
export async function refusalRoutes(
  instance: FastifyInstance,
  { database: { orm }, clock }: Pick<UsageOptions, 'database' | 'clock'>
): Promise<void> {
  const app = instance.withTypeProvider<TypeBoxTypeProvider>()
  app.get(
    '/',
    {
      onRequest: app.requireAccount,
      schema: {
        operationId: 'getUsageRefusals',
        summary: 'Count refused requests by key and code, and list the keys that refuse requests now',
        description:
          'Requests that gateways refused with 402, 403 or 429: a budget, a rate, a model, a pause or a suspension. About ten seconds behind while Redis is available. Empty if gateways run with `REQUEST_LOG=off`.',
        querystring: UsageRefusalsQuery,
        response: answers({ 200: UsageRefusalsResponse })
      }
    },
    async (request) => {
      const { key } = request.query
      const range = usageRange(request.query, clock())
      const { accountId } = principalOf(request)
      const [buckets, open] = await Promise.all([
        readRefusals(orm, accountId, range, key, maxBuckets),
        readOpenRefusals(orm, accountId, key)
      ])
      if (buckets === null)
        throw new ServiceError('invalid_request', {
          message: `from: more than ${maxBuckets} buckets; ask for a shorter range, a longer interval, or one key`
        })
      return {
        from: range.from.toISOString(),
        to: range.to.toISOString(),
        interval: range.interval,
        buckets,
        open,
        keys: await readKeyNames(orm, accountId, [...buckets, ...open])
      }
    }
  )
}
