import {
  type AdminProjection,
  AdminProjectionResponse,
  RebuildProjectionRequest,
  RebuildProjectionResponse
} from '@tollgate/contracts/http/admin/projection.ts'
import { answers } from '@tollgate/contracts/http/error.ts'
import { allShards } from '@tollgate/state/keyspace/names.ts'
import type { RedisLink } from '@tollgate/state/link/redis-link.ts'
import { readShards } from '@tollgate/state/projection/shard-markers.ts'
import { readCatalogVersion } from '@tollgate/state/projection/stored-catalog.ts'
import { sql } from 'drizzle-orm'
import { queryRows } from '../database/connect.ts'
import { projection as projectionTable } from '../database/schema/projection.ts'
import type { TypedApp } from '../http/typed-app.ts'
import { createPostgresSource } from '../projection/postgres-source.ts'
import { catalogVersion } from '../projection/project-catalog.ts'
import { shardStates } from '../projection/projection-lag.ts'
import type { ProjectionSource } from '../projection/source.ts'
import { byOperator, recordAct } from './acts.ts'
import type { AdminContext } from './admin-context.ts'

/**
 * `GET /projection`: how far the copy in Redis is. `POST /projection/rebuild`: writes everything to Redis again, as
 * after a restore of PostgreSQL.
 */
export function projection(app: TypedApp, context: AdminContext): void {
  const { database, redis, clock } = context
  const source = createPostgresSource(database.orm)
  const onRequest = app.requireOperator

  app.get(
    '/projection',
    {
      onRequest,
      schema: {
        operationId: 'getProjection',
        summary: 'Check whether Redis has all changes from PostgreSQL',
        response: answers({ 200: AdminProjectionResponse })
      }
    },
    async () => ({
      projection: await readProgress(source, redis)
    })
  )

  app.post(
    '/projection/rebuild',
    {
      onRequest: [app.requireSupport, app.requireOperatorConfirmation],
      schema: {
        operationId: 'rebuildProjection',
        summary: 'Write everything to Redis again',
        description:
          'Needs the role `support` and a confirmation. Repairs Redis after somebody has changed its data. Gateways use the earlier state of an account until control has written it.',
        body: RebuildProjectionRequest,
        response: answers({ 200: RebuildProjectionResponse })
      }
    },
    async (request) => {
      const { reason } = request.body
      const by = byOperator(request, clock())
      const epoch = await database.orm.transaction(async (tx) => {
        const [row] = await queryRows<{ epoch: number }>(
          tx,
          sql`
            insert into ${projectionTable} as present (epoch) values (1)
            on conflict (one) do update set epoch = present.epoch + 1
            returning epoch`
        )
        await recordAct(tx, by, {
          action: 'projection.rebuilt',
          accountId: null,
          reason,
          detail: { epoch: row!.epoch }
        })
        return row!.epoch
      })
      request.log.warn({ epoch, operator: by.actorId }, 'an operator started to rebuild the projection in Redis')
      return { epoch }
    }
  )
}

/** Compares Redis with PostgreSQL, and changes nothing. It works without Redis, too. @throws the error of PostgreSQL */
async function readProgress(source: Pick<ProjectionSource, 'readTruth'>, redis: RedisLink): Promise<AdminProjection> {
  const [{ markers }, catalog] = await Promise.all([readShards(redis), readCatalogVersion(redis).catch(() => null)])
  const truth = await source.readTruth()
  const shards = { total: allShards.length, current: 0, behind: 0, unverified: 0, unreachable: 0 }
  for (const state of shardStates(markers, truth).values()) shards[state]++
  const isCatalogCurrent = catalog?.version === catalogVersion(truth)
  return {
    epoch: truth.epoch,
    shards,
    catalog: { version: truth.catalog, is_current: isCatalogCurrent },
    is_current: isCatalogCurrent && shards.current === shards.total
  }
}
