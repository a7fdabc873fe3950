import {
  AdminProjectionResponse,
  RebuildProjectionRequest,
  RebuildProjectionResponse
} from '@tollgate/contracts/http/admin/projection.ts'
import { answers } from '@tollgate/contracts/http/error.ts'
import { sql } from 'drizzle-orm'
import { queryRows } from '../database/connect.ts'
import { projection as projectionTable } from '../database/schema/projection.ts'
import type { TypedApp } from '../http/typed-app.ts'
import { createPostgresSource } from '../projection/postgres-source.ts'
import { readProgress } from '../projection/read-progress.ts'
import type { AdminContext } from './admin-context.ts'
import { byOperator, recordAct } from './record-act.ts'

/**
 * `GET /projection`: how far the copy in Redis is. `POST /projection/rebuild`: writes everything to Redis again, as after a
 * restore of PostgreSQL.
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
