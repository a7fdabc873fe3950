import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import { ServiceError } from '@tollgate/contracts/errors/service-error.ts'
import { EmptyRequest } from '@tollgate/contracts/http/auth.ts'
import { answers } from '@tollgate/contracts/http/error.ts'
import { PlaygroundTokenResponse } from '@tollgate/contracts/http/playground.ts'
import { generateSecret } from '@tollgate/contracts/keys/secret.ts'
import type { RedisLink } from '@tollgate/state/link/redis-link.ts'
import { eq } from 'drizzle-orm'
import type { FastifyInstance } from 'fastify'
import { callerOf } from '../callers/session.ts'
import { type Clock, judgingTime } from '../clocks/clock.ts'
import type { Database } from '../database/connect.ts'
import { sessions } from '../database/schema/sessions.ts'
import type { Limits } from '../http/limits.ts'
import { createRateLimitHook } from '../http/rate-limit.ts'
import type { Projector } from '../projection/projector.ts'
import { issueToken } from './issue-token.ts'

const lifetimeMs = 15 * 60_000

export interface PlaygroundOptions {
  database: Database
  projector: Pick<Projector, 'keyChanged'>
  redis: RedisLink
  clock: Clock
  limits: Limits
}

/** `POST /api/playground/token`: a token with which the caller's browser may call models for 15 minutes. */
export async function playgroundEndpoints(instance: FastifyInstance, options: PlaygroundOptions): Promise<void> {
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
      const asked = { accountId, userId: user.id, sessionId: session.id, secret, now, expiresAt, at: clock() }
      const id = await issueToken(orm, asked)
      // Gateways do not know the token yet. The next one replaces it.
      if (!(await projector.keyChanged(accountId, id))) throw new ServiceError('state_unavailable')
      const token = { id, value: secret, expires_at: expiresAt.toISOString() }
      return { token: { ...token, expires_in: Math.floor(livesMs / 1000) } }
    }
  )
}
