import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import { ServiceError } from '@tollgate/contracts/errors/service-error.ts'
import { EmptyRequest } from '@tollgate/contracts/http/auth.ts'
import { answers } from '@tollgate/contracts/http/error.ts'
import { PlaygroundTokenResponse } from '@tollgate/contracts/http/playground.ts'
import { digestSecret, displayPrefix, generateSecret } from '@tollgate/contracts/keys/secret.ts'
import { accountShard, secretShard } from '@tollgate/state/keyspace/names.ts'
import type { RedisLink } from '@tollgate/state/link/redis-link.ts'
import { and, eq, isNotNull } from 'drizzle-orm'
import type { FastifyInstance } from 'fastify'
import { assertApproved } from '../accounts/suspensions.ts'
import { callerOf } from '../callers/session.ts'
import { type Clock, judgingTime } from '../clocks/clock.ts'
import type { Database, Orm } from '../database/connect.ts'
import { newTokenId } from '../database/key-id.ts'
import { formerSecrets, keys } from '../database/schema/keys.ts'
import { sessions } from '../database/schema/users.ts'
import type { Limits } from '../http/limits.ts'
import { createRateLimitHook } from '../http/rate-limit.ts'
import type { Projector } from '../projection/projector.ts'
import { lockChanges, recordChange } from '../projection/record-change.ts'

const lifetimeMs = 15 * 60_000

export interface PlaygroundOptions {
  database: Database
  projector: Pick<Projector, 'keyChanged'>
  redis: RedisLink
  clock: Clock
  limits: Limits
}

/** `POST /api/playground/token`: a token with which the caller's browser may call models for 15 minutes. */
export async function playgroundRoutes(instance: FastifyInstance, options: PlaygroundOptions): Promise<void> {
  const app = instance.withTypeProvider<TypeBoxTypeProvider>()
  const { projector, redis, clock, limits } = options
  const { orm } = options.database
  app.post(
    '/token',
    {
      onRequest: app.requireSession,
      preHandler: createRateLimitHook(app, {
        what: 'playground-token',
        perMinute: limits.playgroundToken,
        subjectOf: (request) => callerOf(request).user.id
      }),
      schema: {
        operationId: 'createPlaygroundToken',
        summary: 'Get a token for the playground',
        description:
          'Gateways accept the token like an API key for 15 minutes, with the models, caps and rate limits of the account. It ends with the session. It is no key: it does not count towards the quota, and is not listed. Only this answer contains it. The session’s token before it works until its own end; tokens of the same person’s other sessions stop.',
        isLimited: true,
        errors: ['account_suspended', 'state_unavailable'],
        body: EmptyRequest,
        response: answers({ 200: PlaygroundTokenResponse })
      }
    },
    async (request) => {
      const { accountId, user, sessionHash } = callerOf(request)
      const [session] = await orm
        .select({ id: sessions.id, endsAt: sessions.idleEndsAt })
        .from(sessions)
        .where(eq(sessions.tokenHash, sessionHash))
      if (session === undefined) throw new ServiceError('not_authenticated')
      const secret = generateSecret('inference')
      const now = await judgingTime(orm, redis, accountId, 'inference')
      const livesMs = Math.max(0, Math.min(lifetimeMs, session.endsAt.getTime() - now.getTime()))
      const expiresAt = new Date(now.getTime() + livesMs)
      const terms = { accountId, userId: user.id, sessionId: session.id, secret, now, expiresAt, at: clock() }
      const id = await issueToken(orm, terms)
      // Gateways do not know the token yet. The next one replaces it.
      if (!(await projector.keyChanged(accountId, id))) throw new ServiceError('state_unavailable')
      const token = { id, value: secret, expires_at: expiresAt.toISOString() }
      return { token: { ...token, expires_in: Math.floor(livesMs / 1000) } }
    }
  )
}

/** The name under which people see the usage of their playground. */
const label = 'Playground'

interface TokenRequest {
  readonly accountId: string
  readonly userId: string
  /** Id of the session that asks. */
  readonly sessionId: string
  /** A secret for inference. Only its digest is stored. */
  readonly secret: string
  /** The present time, from {@link judgingTime}: the same clock decides when the token expires. */
  readonly now: Date
  readonly expiresAt: Date
  /** Control's present time. */
  readonly at: Date
}

/**
 * Gives a person a new token for the playground. For gateways it is the secret of a key; a person has one such key in
 * an account, so their usage keeps one name and the number of tokens stays small. The session's token before it works
 * until its own end, for other tabs. A token of another session of the same person stops at once: that session asks
 * again.
 *
 * @returns the id of the key
 * @throws ServiceError `account_suspended` for an account that waits for approval
 */
async function issueToken(orm: Orm, request: TokenRequest): Promise<string> {
  const { accountId, userId, sessionId, secret, now, expiresAt, at } = request
  const digest = digestSecret(secret)
  const own = { accountShard: accountShard(accountId), secretShard: secretShard(digest) }
  const fresh = { ...own, digest, prefix: displayPrefix(secret), sessionId, expiresAt }
  return await orm.transaction(async (tx) => {
    await lockChanges(tx)
    await assertApproved(tx, accountId)
    const [present] = await tx
      .select()
      .from(keys)
      .where(
        and(
          eq(keys.accountId, accountId),
          eq(keys.createdBy, userId),
          eq(keys.status, 'active'),
          isNotNull(keys.sessionId)
        )
      )
    if (present === undefined) {
      const version = await recordChange(tx, [own.accountShard, own.secretShard])
      const id = newTokenId()
      const row = { id, accountId, createdBy: userId, label, scope: 'inference', status: 'active' } as const
      await tx.insert(keys).values({ ...row, ...fresh, version, createdAt: at })
      return id
    }
    const { id, scope } = present
    const version = await recordChange(tx, [own.accountShard, secretShard(present.digest), own.secretShard])
    const isLiving = present.sessionId === sessionId && present.expiresAt !== null && present.expiresAt > now
    const former = { digest: present.digest, keyId: id, accountId, scope, secretShard: present.secretShard }
    await tx.insert(formerSecrets).values({ ...former, version, diesAt: isLiving ? present.expiresAt! : now })
    const previous = {
      previousDigest: isLiving ? present.digest : null,
      previousUntil: isLiving ? present.expiresAt : null
    }
    await tx
      .update(keys)
      .set({ ...fresh, ...previous, version })
      .where(eq(keys.id, id))
    return id
  })
}
