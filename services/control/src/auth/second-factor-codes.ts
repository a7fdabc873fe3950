import { hash, randomBytes } from 'node:crypto'
import { ServiceError } from '@tollgate/contracts/errors/service-error.ts'
import { toRecoveryCode } from '@tollgate/contracts/http/recovery-code.ts'
import { and, eq, isNull } from 'drizzle-orm'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { type By, recordAudit } from '../audit/record-audit.ts'
import type { Clock } from '../clocks/clock.ts'
import type { Database, Orm, Transaction } from '../database/connect.ts'
import { recoveryCodes, users } from '../database/schema/users.ts'
import type { Limits } from '../http/limits.ts'
import { countForSubject } from '../http/rate-limit.ts'
import type { AskCode } from '../identity/identity.ts'
import type { RecoveryCodeUsed } from '../mail/mail-content.ts'
import { queueMail } from '../mail/queue-mail.ts'

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
   * Gives the provider the code of a request, once: the provider itself accepts a code again while it is valid. A
   * recovery code is used up here; the provider does not know it.
   * A code counts as used before the provider checks it, so that two requests cannot both use it.
   *
   * @param code undefined if the request has none
   * @param findSubject finds the subject of the count; with null, codes count for the user
   */
  ask(request: FastifyRequest, code: string | undefined, findSubject?: () => Promise<string | null>): AskCode
  /**
   * Whether this request gave the provider a code, or used a recovery code. If the provider refuses a code, it throws.
   */
  isGiven(request: FastifyRequest): boolean
  /** Whether this request used a recovery code. */
  isRecovered(request: FastifyRequest): boolean
}

/**
 * Limits how many codes are checked per user, and accepts each code once. Redis counts both for all replicas; while
 * Redis is unavailable, each replica counts by itself.
 */
export function createSecondFactorCodes(
  app: Pick<FastifyInstance, 'attempts'>,
  { limits, database, clock }: SecondFactorCodesOptions
): SecondFactorCodes {
  const ofHour = { what: 'second-factor-code', max: limits.codesPerHour, windowMs: hourMs }
  const ofCode = { what: 'second-factor-code-used', max: 1, windowMs: usedCodeKeptMs }
  const codeRequests = new WeakSet<FastifyRequest>()
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
          codeRequests.add(request)
          recovered.add(request)
          return null
        }
        if ((await countForSubject(app, ofCode, `${userId} ${code}`)) !== null) throw new ServiceError('invalid_code')
        codeRequests.add(request)
        return code
      },
    isGiven: (request) => codeRequests.has(request),
    isRecovered: (request) => recovered.has(request)
  }
}

const codesPerSet = 10
/**
 * Base32 without letters that look like digits. 16 characters are 80 bits: nobody guesses them, even from their hashes.
 */
const alphabet = 'abcdefghijkmnpqrstuvwxyz23456789'
const groups = 4

/** Replaces all recovery codes of a user. @returns the new ones, which nobody can read later */
export async function replaceRecoveryCodes(tx: Transaction, userId: string, now: Date): Promise<string[]> {
  // Orders two replacements at the same time: the codes of one of them remain.
  await tx.select({ id: users.id }).from(users).where(eq(users.id, userId)).for('no key update')
  await forgetRecoveryCodes(tx, userId)
  const codes = Array.from({ length: codesPerSet }, newCode)
  await tx
    .insert(recoveryCodes)
    .values(codes.map((code) => ({ userId, codeHash: hashCode(userId, code), createdAt: now })))
  return codes
}

export async function forgetRecoveryCodes(tx: Transaction, userId: string): Promise<void> {
  await tx.delete(recoveryCodes).where(eq(recoveryCodes.userId, userId))
}

/** How many codes still work. */
export const countRecoveryCodes = (orm: Orm, userId: string): Promise<number> =>
  orm.$count(recoveryCodes, and(eq(recoveryCodes.userId, userId), isNull(recoveryCodes.usedAt)))

/**
 * Uses a code up in the form of `toRecoveryCode`, notes it in the audit log, and mails the user. @returns false for a
 * wrong or used code
 */
async function takeRecoveryCode(orm: Orm, userId: string, code: string, by: By): Promise<boolean> {
  return orm.transaction(async (tx) => {
    const taken = await tx
      .update(recoveryCodes)
      .set({ usedAt: by.at })
      .where(
        and(
          eq(recoveryCodes.userId, userId),
          eq(recoveryCodes.codeHash, hashCode(userId, code)),
          isNull(recoveryCodes.usedAt)
        )
      )
      .returning({ userId: recoveryCodes.userId })
    if (taken.length === 0) return false
    const left = await countRecoveryCodes(tx, userId)
    await recordAudit(tx, { accountId: userId, ...by, action: 'auth.recovery_code_used', detail: { left } })
    const notice = { type: 'recovery_code.used', data: { left } satisfies RecoveryCodeUsed, at: by.at.toISOString() }
    await queueMail(tx, { accountId: userId, kind: 'account', notices: [notice], at: by.at })
    return true
  })
}

function newCode(): string {
  const letters = [...randomBytes(groups * 4)].map((byte) => alphabet[byte % alphabet.length])
  const code = letters.join('').replace(/.{4}(?=.)/g, '$&-')
  if (toRecoveryCode(code) !== code) throw new Error('a recovery code has another form')
  return code
}

const hashCode = (userId: string, code: string): string => hash('sha256', `${userId} ${code}`, 'hex')
