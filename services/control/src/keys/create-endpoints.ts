import type { Catalog } from '@tollgate/contracts/catalog/catalog.ts'
import { ServiceError } from '@tollgate/contracts/errors/service-error.ts'
import { answers } from '@tollgate/contracts/http/error.ts'
import {
  AlreadyCreatedResponse,
  CreateKeyRequest,
  CreateKeyResponse,
  KeyParams,
  RotateKeyRequest,
  RotateKeyResponse
} from '@tollgate/contracts/http/keys.ts'
import { generateSecret } from '@tollgate/contracts/keys/secret.ts'
import type { Parameter } from '@tollgate/contracts/openapi/document.ts'
import type { RedisLink } from '@tollgate/state/link/redis-link.ts'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { principalOf } from '../callers/principal.ts'
import { callerOf } from '../callers/session.ts'
import { assertConfirmed } from '../callers/sessions.ts'
import { type Clock, judgingTime } from '../clocks/clock.ts'
import type { Database } from '../database/connect.ts'
import type { TypedApp } from '../http/typed-app.ts'
import type { Projector } from '../projection/projector.ts'
import { byPrincipal } from './by-principal.ts'
import { idempotencyHash } from './idempotency.ts'
import { changeableKey } from './requested-key.ts'
import { rotateKey } from './rotate-key.ts'
import { storeKey } from './store-key.ts'

export interface KeysOptions {
  database: Database
  catalog: Catalog
  projector: Pick<Projector, 'keyChanged' | 'keyRevoked' | 'isKeyInForce'>
  redis: RedisLink
  clock: Clock
}

/** The header that makes a creation or a rotation repeatable. */
const idempotencyKey: Parameter = {
  name: 'Idempotency-Key',
  in: 'header',
  description:
    'A random text. Within 24 hours, a request with the same one creates nothing, and gets 409 with the id of the key.',
  schema: { type: 'string', pattern: '^[\\x21-\\x7e]{1,255}$' }
}

/** `POST /` creates a key, `POST /:id/rotate` gives it a new secret. Only these answers contain a secret. */
export function createEndpoints(app: TypedApp, { database, catalog, projector, redis, clock }: KeysOptions): void {
  const { orm } = database
  const onRequest = app.requireAccount
  const created = answers({ 201: CreateKeyResponse, 409: AlreadyCreatedResponse })

  app.post(
    '/',
    {
      onRequest,
      schema: {
        operationId: 'createKey',
        summary: 'Create a key',
        description:
          'Only this answer contains the secret. A repeated request with the same `Idempotency-Key` within 24 hours creates no second key, and gets the id of the first. A management key also needs a sign-in or a confirmation in the last 10 minutes.',
        isLimited: true,
        parameters: [idempotencyKey],
        errors: [
          'account_suspended',
          'partner_api_not_allowed',
          'key_quota_exceeded',
          'forbidden',
          'confirmation_required',
          'account_changed',
          'already_created'
        ],
        body: CreateKeyRequest,
        response: created
      }
    },
    async (request, reply) => {
      const { accountId, role } = principalOf(request)
      const { label, scope = 'inference', account_id: expected = accountId } = request.body
      // The owner of a team may have removed this member since they read their keys.
      if (expected !== accountId) throw new ServiceError('account_changed')
      // A management key can change every key of the account, so only the signed-in owner may create one.
      if (scope === 'management') {
        if (role !== 'owner') throw new ServiceError('forbidden')
        assertConfirmed(callerOf(request).confirmed, clock())
      }
      const secret = generateSecret(scope)
      const idempotency = idempotencyOf(request, 'create')
      const by = byPrincipal(request, clock())
      const { id, isNew } = await storeKey(
        orm,
        catalog,
        { accountId, scope, secret, asked: request.body, idempotency },
        by
      )
      if (!isNew) return reply.code(409).send(alreadyCreated(id, request.server))
      // The answer has the secret even if Redis lacks the key: control cannot show it again, and the key works soon.
      await projector.keyChanged(accountId, id)
      return reply.code(201).send({ key: { id, label, value: secret } })
    }
  )

  app.post(
    '/:id/rotate',
    {
      onRequest,
      schema: {
        operationId: 'rotateKey',
        summary: 'Replace the secret of a key',
        description:
          'Only this answer contains the new secret. After 200, gateways refuse the old secret at once, or when the requested grace ends. With 202, `in_force` is false: the old secret may still work, and the new one may not work yet. The change takes effect by itself; `GET /api/keys/{id}` shows when. `Idempotency-Key` works as for a new key. With `cut_streams: true`, open requests with the old secret end, too; that needs a grace of 0.',
        isLimited: true,
        parameters: [idempotencyKey],
        errors: ['confirmation_required', 'not_found', 'forbidden', 'already_created'],

        params: KeyParams,
        body: RotateKeyRequest,
        response: answers({ 200: RotateKeyResponse, 202: RotateKeyResponse, 409: AlreadyCreatedResponse })
      }
    },
    async (request, reply) => {
      const { accountId, id, scope, label } = await changeableKey(orm, request)
      if (scope === 'management') assertConfirmed(callerOf(request).confirmed, clock())
      const secret = generateSecret(scope)
      const { grace_seconds: graceSeconds = 0, cut_streams: cutStreams = false } = request.body ?? {}
      if (cutStreams && graceSeconds > 0) {
        throw refused('cut_streams: not possible with grace_seconds, because the old secret still works')
      }
      const idempotency = idempotencyOf(request, `rotate ${id}`)
      const by = byPrincipal(request, clock())
      const graceFrom = await judgingTime(orm, redis, accountId, scope)
      const rotation = { accountId, id, secret, graceSeconds, graceFrom, cutStreams, idempotency }
      const { isNew } = await rotateKey(orm, catalog, rotation, by)
      if (!isNew) return reply.code(409).send(alreadyCreated(id, request.server))
      // The answer has the secret even if Redis lacks it: control cannot show it again.
      const isInForce = await projector.keyChanged(accountId, id)
      return reply.code(isInForce ? 200 : 202).send({ key: { id, label, value: secret, in_force: isInForce } })
    }
  )
}

/** @throws ServiceError `invalid_request` */
function idempotencyOf({ headers }: FastifyRequest, operation: string): string | null {
  const header = headers['idempotency-key']
  if (header === undefined) return null
  if (typeof header !== 'string' || !/^[\x21-\x7e]{1,255}$/.test(header)) {
    throw refused('Idempotency-Key: must have 1 to 255 printable ASCII characters, without spaces')
  }
  return idempotencyHash(operation, header)
}

function alreadyCreated(id: string, { docsUrl, failures }: Pick<FastifyInstance, 'docsUrl' | 'failures'>) {
  failures.add('already_created')
  return { ...new ServiceError('already_created').toBody(docsUrl), key: { id } }
}

const refused = (message: string) => new ServiceError('invalid_request', { message })
