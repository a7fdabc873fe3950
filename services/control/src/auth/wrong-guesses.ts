import { ServiceError } from '@tollgate/contracts/errors/service-error.ts'
import { and, eq, isNull, sql } from 'drizzle-orm'
import type { FastifyInstance } from 'fastify'
import type { Clock } from '../clocks/clock.ts'
import type { Database } from '../database/connect.ts'
import { users } from '../database/schema/users.ts'
import { foldCase } from '../http/fold-case.ts'
import type { Limits } from '../http/limits.ts'
import { counterOf } from '../http/rate-limit.ts'
import { queueMail } from '../mail/queue-mail.ts'

const dayMs = 86_400_000
const what = 'wrong-guess'
/** What a wrong password or a wrong code is refused with. */
const wrong: ReadonlySet<string> = new Set(['invalid_credentials', 'wrong_password', 'invalid_code'])

/** Whose password or code it is. */
export type Guessed = { readonly email: string } | { readonly id: string }

/**
 * Limits the wrong passwords and codes of a day. The limits per minute alone would allow 14,400.
 *
 * The subject of the count decides who can be locked out: strangers count together for an address, and each browser
 * that its owner signed in with counts for itself. Unknown addresses count like known ones, so that nobody can tell
 * them apart.
 */
export interface WrongGuesses {
  /**
   * Runs a check, unless the subject was wrong too often in the last 24 hours. The last wrong guess that is allowed
   * mails the owner. Checks at the same moment may exceed the limit by their number.
   *
   * @throws ServiceError `too_many_requests`, and what the check throws
   */
  limit<Result>(subject: string, guessed: Guessed, check: () => Promise<Result>): Promise<Result>
  /** Starts the count of a subject again, after a mailed link has proved who the owner is. */
  forget(subject: string): Promise<void>
}

export function createWrongGuesses(
  app: Pick<FastifyInstance, 'attempts'>,
  { limits, database, clock }: { limits: Limits; database: Database; clock: Clock }
): WrongGuesses {
  const { wrongGuessesPerDay: max } = limits
  return {
    async limit(subject, guessed, check) {
      const name = counterOf(what, subject)
      const { attempts, leftMs } = await app.attempts.read(name)
      if (attempts >= max) throw tooMany(leftMs)
      try {
        return await check()
      } catch (error) {
        if (!(error instanceof ServiceError) || !wrong.has(error.code)) throw error
        if ((await app.attempts.count(name, dayMs)).attempts === max) await tellOwner(database, guessed, clock())
        throw error
      }
    },
    forget: (subject) => app.attempts.forget(counterOf(what, subject))
  }
}

const tooMany = (leftMs: number) =>
  new ServiceError('too_many_requests', {
    message:
      'Too many wrong passwords or codes for this account today. Sign in with a browser that you used before, or set a new password by mail.',
    retryAfter: Math.max(1, Math.ceil(leftMs / 1000))
  })

async function tellOwner({ orm }: Database, guessed: Guessed, at: Date): Promise<void> {
  const isGuessed =
    'id' in guessed ? eq(users.id, guessed.id) : eq(sql`lower(${users.email})`, foldCase(guessed.email.trim()))
  const owners = await orm
    .select({ id: users.id })
    .from(users)
    .where(and(isGuessed, isNull(users.deletedAt)))
  for (const { id } of owners) {
    const notices = [{ type: 'sign_in.guessed', data: {}, at: at.toISOString() }]
    await orm.transaction((tx) => queueMail(tx, { accountId: id, kind: 'account', notices, at }))
  }
}
