import { ServiceError } from '@tollgate/contracts/errors/service-error.ts'
import { inferenceKeyMessage } from '@tollgate/contracts/errors/table.ts'
import { bearerToken } from '@tollgate/contracts/keys/bearer-token.ts'
import { judgeKey, type Presenter } from '@tollgate/contracts/keys/judge-key.ts'
import { digestSecret, scopeOfSecret } from '@tollgate/contracts/keys/secret.ts'
import { and, eq, isNull, lt, or } from 'drizzle-orm'
import type { FastifyPluginAsync, FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import { type Clock, databaseNowMs } from '../clocks/clock.ts'
import type { Database, Orm } from '../database/connect.ts'
import { isPausedByTeam, statusInForce } from '../database/derived-columns.ts'
import { accounts } from '../database/schema/accounts.ts'
import { formerSecrets, keys } from '../database/schema/keys.ts'
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
     * Hook for `onRequest`, for routes of people and partners' servers: sets `request.principal`. With an
     * `Authorization` header, the cookie is ignored.
     *
     * @throws ServiceError `not_authenticated`, `invalid_api_key`, `revoked_api_key`, `expired_api_key`,
     *   `ip_address_not_allowed`, `paused_api_key` or `account_suspended`
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
      request.principal = await principalOfKey(authorization, request)
      return
    }
    await app.requireSession(request)
    const { accountId, role, user } = callerOf(request)
    request.principal = { accountId, role, userId: user.id, keyId: null }
  })

  async function principalOfKey(authorization: string, presenter: Presenter): Promise<Principal> {
    const secret = bearerToken(authorization)
    const scope = secret === null ? null : scopeOfSecret(secret)
    if (scope === 'inference')
      throw new ServiceError('invalid_api_key', { message: inferenceKeyMessage(app.gatewayUrl) })
    if (secret === null || scope === null) throw new ServiceError('invalid_api_key')
    const key = await findManagementKey(database.orm, digestSecret(secret), presenter)
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

/** `last_used` may be this old: less than the 5 s that a listing promises. */
const useNotedEveryMs = 2000

const columns = {
  id: keys.id,
  accountId: keys.accountId,
  scope: keys.scope,
  digest: keys.digest,
  previousDigest: keys.previousDigest,
  previousUntil: keys.previousUntil,
  expiresAt: keys.expiresAt,
  addresses: keys.addresses,
  status: keys.status,
  paused: keys.paused,
  accountStatus: accounts.status,
  suspensions: accounts.suspensions,
  // PostgreSQL's clock, because the replicas' clocks may differ.
  nowMs: databaseNowMs
}

interface ManagementKey {
  id: string
  accountId: string
}

/**
 * Finds the management key of a secret, and applies the policy that gateways apply to inference keys.
 *
 * @param digest the secret's
 * @throws ServiceError `invalid_api_key`, `revoked_api_key`, `expired_api_key`, `ip_address_not_allowed`,
 *   `paused_api_key` or `account_suspended`
 */
async function findManagementKey(orm: Orm, digest: string, presenter: Presenter): Promise<ManagementKey> {
  const row = (await findCurrent(orm, digest)) ?? (await findFormer(orm, digest))
  if (row === undefined || row.scope !== 'management') throw new ServiceError('invalid_api_key')
  const { previousDigest, previousUntil, expiresAt, addresses } = row
  const isGraceSet = previousDigest !== null && previousUntil !== null
  const previous = isGraceSet ? { digest: previousDigest, until: previousUntil.getTime() } : null
  const key = {
    status: statusInForce(row),
    digest: row.digest,
    previous,
    expiresAt: expiresAt?.getTime() ?? null,
    ...(addresses !== null && { addresses })
  }
  const isOwnerInTeam = isPausedByTeam(row.suspensions)
  const verdict = judgeKey(
    { key, account: { status: row.accountStatus, ...(isOwnerInTeam && { isOwnerInTeam }) } },
    digest,
    presenter
  )
  if (!verdict.allowed) {
    const { code, message } = verdict
    throw new ServiceError(code, message === undefined ? {} : { message })
  }
  if (verdict.endsAt !== null && verdict.endsAt <= row.nowMs) throw new ServiceError(verdict.endedCode)
  return { id: row.id, accountId: row.accountId }
}

async function findCurrent(orm: Orm, digest: string) {
  const [key] = await orm
    .select(columns)
    .from(keys)
    .innerJoin(accounts, eq(accounts.id, keys.accountId))
    .where(eq(keys.digest, digest))
  return key
}

async function findFormer(orm: Orm, digest: string) {
  const [key] = await orm
    .select(columns)
    .from(formerSecrets)
    .innerJoin(keys, eq(keys.id, formerSecrets.keyId))
    .innerJoin(accounts, eq(accounts.id, keys.accountId))
    .where(eq(formerSecrets.digest, digest))
  return key
}

/** Stores the last use of a key, at most every two seconds. */
async function noteUse(orm: Orm, id: string, now: Date): Promise<void> {
  const notedBefore = new Date(now.getTime() - useNotedEveryMs)
  await orm
    .update(keys)
    .set({ lastUsedAt: now })
    .where(and(eq(keys.id, id), or(isNull(keys.lastUsedAt), lt(keys.lastUsedAt, notedBefore))))
}
