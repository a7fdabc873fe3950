import { ServiceError } from '@tollgate/contracts/errors/service-error.ts'
import { inferenceKeyMessage } from '@tollgate/contracts/errors/table.ts'
import { bearerToken } from '@tollgate/contracts/keys/bearer-token.ts'
import { digestSecret, scopeOfSecret } from '@tollgate/contracts/keys/secret.ts'
import type { FastifyPluginAsync, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import type { Clock } from '../clocks/clock.ts'
import type { Database } from '../database/connect.ts'
import { findManagementKey, noteUse } from './management-key.ts'
import { callerOf } from './session.ts'

/** The caller of a request: a signed-in user, or a server with a management key. */
export interface Principal {
  readonly accountId: string
  /** `key`: a server. It has the owner's rights, except over management keys. */
  readonly role: 'owner' | 'seat' | 'key'
  /** Null for a server. */
  readonly userId: string | null
  /** Id of the management key; null for a person. */
  readonly keyId: string | null
}

declare module 'fastify' {
  interface FastifyInstance {
    /**
     * Hook for `onRequest`, for routes of people and partners' servers: sets `request.principal`. With an `Authorization`
     * header, the cookie is ignored.
     *
     * @throws ServiceError `not_authenticated`, `invalid_api_key`, `revoked_api_key`, `expired_api_key`, `paused_api_key` or
     *   `account_suspended`
     */
    requireAccount(request: FastifyRequest): Promise<void>
  }
  interface FastifyRequest {
    /** Set by `requireAccount`; null in other routes. */
    principal: Principal | null
  }
}

const requireAccountPlugin: FastifyPluginAsync<{ database: Database; clock: Clock }> = async (app, options) => {
  const { database, clock } = options
  app.decorateRequest('principal', null)
  app.decorate('requireAccount', async (request: FastifyRequest) => {
    const { authorization } = request.headers
    if (authorization !== undefined) {
      request.principal = await principalOfKey(authorization)
      return
    }
    await app.requireSession(request)
    const { accountId, role, user } = callerOf(request)
    request.principal = { accountId, role, userId: user.id, keyId: null }
  })

  async function principalOfKey(authorization: string): Promise<Principal> {
    const secret = bearerToken(authorization)
    const scope = secret === null ? null : scopeOfSecret(secret)
    if (scope === 'inference')
      throw new ServiceError('invalid_api_key', { message: inferenceKeyMessage(app.gatewayUrl) })
    if (secret === null || scope === null) throw new ServiceError('invalid_api_key')
    const key = await findManagementKey(database.orm, digestSecret(secret))
    await noteUse(database.orm, key.id, clock())
    return { accountId: key.accountId, role: 'key', userId: null, keyId: key.id }
  }
}

export const requireAccount = fp(requireAccountPlugin, {
  name: 'require-account',
  fastify: '5.x',
  dependencies: ['session']
})

/** The principal in a handler behind `requireAccount`. @throws Error in other handlers */
export function principalOf(request: FastifyRequest): Principal {
  if (request.principal === null) throw new Error(`${request.routeOptions.url} does not require an account`)
  return request.principal
}
