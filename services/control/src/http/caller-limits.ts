import { normalizeIP } from '@fastify/rate-limit'
import { ServiceError } from '@tollgate/contracts/errors/service-error.ts'
import type { FastifyInstance, FastifyPluginAsync, FastifyRequest, RouteHandlerMethod } from 'fastify'
import fp from 'fastify-plugin'
import type { Limits } from './limits.ts'
import { createLocalCounter } from './rate-limit-store.ts'

const minuteMs = 60_000
const dayMs = 86_400_000
const safeMethods = new Set(['GET', 'HEAD', 'OPTIONS'])

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Whether only a provider calls the endpoint, to report changes. */
    isForProviders?: true
  }
  interface FastifyRequest {
    /** Ends the read that `callerLimits` counts as under way. */
    leaveReads: (() => void) | null
  }
}

export interface CallerLimitsOptions {
  readonly limits: Limits
  /** Connections to the database. */
  readonly connections: number
}

/**
 * Limits every endpoint that is added after this plugin; single endpoints may have stricter limits of their own.
 *
 * **Writes** count per session, per management key, or per client address without either. Redis counts for all
 * replicas. Endpoints for partners' servers have their limits per account, so each caller there only gets a bound.
 *
 * **Reads** of signed-in callers count in this replica, whose connections to the database they share: per caller and
 * minute, and per account at once.
 */
const callerLimitsPlugin: FastifyPluginAsync<CallerLimitsOptions> = async (app, { limits, connections }) => {
  const readCounts = createLocalCounter()
  const fairReads = createFairReads({ maxAtOnce: Math.max(1, Math.floor(connections / 3)), maxWaiting: 100 })

  /** What a write counts as, with the limits. */
  function limitsOf(request: FastifyRequest): Array<[what: string, max: number, windowMs: number]> {
    const isByServer = request.principal !== null || request.routeOptions.config.isForProviders === true
    if (isByServer) return [['server-writes', limits.writeByServer, minuteMs]]
    const inMinute: [string, number, number] = ['writes', limits.write, minuteMs]
    return request.caller === null ? [inMinute] : [inMinute, ['writes-in-day', limits.writesPerDay, dayMs]]
  }

  async function limitWrite(request: FastifyRequest): Promise<void> {
    const { name } = callerOf(request)
    await Promise.all(
      limitsOf(request).map(async ([what, max, windowMs]) => {
        const { attempts, leftMs } = await app.attempts.count(`${what}:${name}`, windowMs)
        if (attempts > max) throw tooMany(leftMs)
      })
    )
  }

  async function limitRead(request: FastifyRequest): Promise<void> {
    const { name, accountId } = callerOf(request)
    if (accountId === null) return
    const { attempts, leftMs } = readCounts.count(`reads:${name}`, minuteMs, performance.now())
    if (attempts > limits.read) throw tooMany(leftMs)
  }

  /** Waits for the account's turn. The handler of a client that has left still reads, so only its end counts. */
  const inTurn = (handler: RouteHandlerMethod): RouteHandlerMethod =>
    async function (this: FastifyInstance, request, reply) {
      const { accountId } = callerOf(request)
      if (accountId === null) return await handler.call(this, request, reply)
      const leave = await fairReads.enter(accountId)
      request.leaveReads = leave
      try {
        return await handler.call(this, request, reply)
      } finally {
        leave()
      }
    }

  app.decorateRequest('leaveReads', null)
  app.addHook('onRoute', (route) => {
    const isRead = [route.method].flat().every((method) => safeMethods.has(method))
    const limit = isRead ? limitRead : limitWrite
    const hooks = [route.onRequest ?? []].flat()
    // Fastify adds HEAD with the options of GET.
    if (hooks.includes(limit)) return
    // Last, when the caller is known, and before a body is read.
    route.onRequest = [...hooks, limit]
    if (isRead) route.handler = inTurn(route.handler)
  })
  // The handler of an export ends with its answer. It has read its first page now; a limit of its own holds for the
  // others.
  app.addHook('onSend', async (request, _reply, payload) => {
    request.leaveReads?.()
    return payload
  })
}

export const callerLimits = fp(callerLimitsPlugin, {
  name: 'caller-limits',
  fastify: '5.x',
  dependencies: ['rate-limits', 'session', 'require-account']
})

const tooMany = (leftMs: number) => new ServiceError('too_many_requests', { retryAfterMs: Math.max(1, leftMs) })

/** Whom a request counts for, and whose share of reads it takes: null for a caller without an account. */
function callerOf({ caller, principal, ip }: FastifyRequest): { name: string; accountId: string | null } {
  if (principal?.keyId != null) return { name: `key:${principal.keyId}`, accountId: principal.accountId }
  if (caller !== null) return { name: `session:${caller.sessionHash}`, accountId: caller.accountId }
  return { name: `ip:${normalizeIP(ip)}`, accountId: null }
}

/** A read waits no longer: time is left to answer before the request itself is late. */
const waitMs = 10_000
const retryAfterSeconds = 5

interface FairReads {
  /**
   * Waits until the account may begin one more read, in order.
   *
   * @returns ends the read. Safe to repeat
   * @throws ServiceError `too_many_requests` if too many reads of the account wait, or one waits too long
   */
  enter(accountId: string): Promise<() => void>
}

interface Share {
  underWay: number
  readonly waiting: Set<() => void>
}

/**
 * Limits the reads of one account at once, so that an account with many heavy reads leaves connections to the others.
 *
 * @param maxWaiting further reads of an account that wait
 */
export function createFairReads({ maxAtOnce, maxWaiting }: { maxAtOnce: number; maxWaiting: number }): FairReads {
  const shares = new Map<string, Share>()

  function leave(accountId: string, share: Share): void {
    const [next] = share.waiting
    // The next read takes over the place.
    if (next !== undefined) next()
    else if (--share.underWay === 0) shares.delete(accountId)
  }

  function once(accountId: string, share: Share): () => void {
    let hasLeft = false
    return () => {
      if (hasLeft) return
      hasLeft = true
      leave(accountId, share)
    }
  }

  return {
    async enter(accountId) {
      const share = shares.get(accountId) ?? { underWay: 0, waiting: new Set() }
      shares.set(accountId, share)
      if (share.underWay < maxAtOnce) share.underWay++
      else if (share.waiting.size >= maxWaiting) throw tooManyReads()
      else await wait(share)
      return once(accountId, share)
    }
  }
}

const tooManyReads = () =>
  new ServiceError('too_many_requests', {
    message: 'Too many reads of your account are under way. Wait for some of them, then retry.',
    retryAfter: retryAfterSeconds
  })

function wait({ waiting }: Share): Promise<void> {
  return new Promise((resolve, reject) => {
    const end = (settle: () => void) => {
      clearTimeout(timer)
      waiting.delete(enter)
      settle()
    }
    const enter = () => end(resolve)
    const timer = setTimeout(() => end(() => reject(tooManyReads())), waitMs)
    waiting.add(enter)
  })
}
