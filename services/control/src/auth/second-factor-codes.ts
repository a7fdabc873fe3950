import { ServiceError } from '@tollgate/contracts/errors/service-error.ts'
import { toRecoveryCode } from '@tollgate/contracts/http/recovery-code.ts'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Clock } from '../clocks/clock.ts'
import type { Database } from '../database/connect.ts'
import type { Limits } from '../http/limits.ts'
import { countForSubject } from '../http/rate-limit.ts'
import type { AskCode } from '../identity/identity.ts'
import { takeRecoveryCode } from './recovery-codes.ts'

const hourMs = 3_600_000
/** A code works for 90 seconds: its own 30, and 30 before and after. */
const usedCodeKeptMs = 120_000

export interface SecondFactorCodesOptions {
  readonly limits: Limits
  readonly database: Database
  readonly clock: Clock
}

export interface SecondFactorCodes {
  /**
   * Gives the provider the code of a request, once: the provider itself accepts a code again while it is valid. A recovery
   * code is used up here; the provider does not know it.
   * A code counts as used before the provider checks it, so that two requests cannot both use it.
   *
   * @param code undefined if the request has none
   * @param findSubject finds the subject of the count; with null, codes count for the user
   */
  ask(request: FastifyRequest, code: string | undefined, findSubject?: () => Promise<string | null>): AskCode
  /** Whether this request gave the provider a code, or used a recovery code. If the provider refuses a code, it throws. */
  isGiven(request: FastifyRequest): boolean
  /** Whether this request used a recovery code. */
  isRecovered(request: FastifyRequest): boolean
}

/**
 * Limits how many codes are checked per user, and accepts each code once. Redis counts both for all replicas; while Redis is
 * unavailable, each replica counts by itself.
 */
export function createSecondFactorCodes(
  app: Pick<FastifyInstance, 'attempts'>,
  { limits, database, clock }: SecondFactorCodesOptions
): SecondFactorCodes {
  const ofHour = { what: 'second-factor-code', max: limits.codesPerHour, windowMs: hourMs }
  const ofCode = { what: 'second-factor-code-used', max: 1, windowMs: usedCodeKeptMs }
  const given = new WeakSet<FastifyRequest>()
  const recovered = new WeakSet<FastifyRequest>()
  return {
    ask:
      (request, code, findSubject = async () => null) =>
      async (userId) => {
        if (code === undefined) throw new ServiceError('second_factor_required')
        const subject = (await findSubject()) ?? userId
        const retryAfter = await countForSubject(app, ofHour, subject)
        if (retryAfter !== null) throw new ServiceError('too_many_requests', { retryAfter })
        const recoveryCode = toRecoveryCode(code)
        if (recoveryCode !== null) {
          const by = { actorId: userId, ip: request.ip, at: clock() }
          if (!(await takeRecoveryCode(database.orm, userId, recoveryCode, by))) throw new ServiceError('invalid_code')
          given.add(request)
          recovered.add(request)
          return null
        }
        if ((await countForSubject(app, ofCode, `${userId} ${code}`)) !== null) throw new ServiceError('invalid_code')
        given.add(request)
        return code
      },
    isGiven: (request) => given.has(request),
    isRecovered: (request) => recovered.has(request)
  }
}
