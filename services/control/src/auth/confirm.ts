import { ServiceError } from '@tollgate/contracts/errors/service-error.ts'
import { ConfirmRequest, UserResponse } from '@tollgate/contracts/http/auth.ts'
import { answers } from '@tollgate/contracts/http/error.ts'
import type { FastifyRequest } from 'fastify'
import type { By } from '../accounts/suspend-account.ts'
import { recordAudit } from '../audit/record-audit.ts'
import { limitAttempts } from '../http/attempts.ts'
import { foldCase } from '../http/fold-case.ts'
import type { TypedApp } from '../http/typed-app.ts'
import type { RevokedKey } from '../keys/revoke-keys.ts'
import { checkNewPassword } from './credentials-form.ts'
import type { AuthContext } from './endpoints.ts'
import type { AskCode, IdentityUser } from './identity/identity.ts'
import { passwordWasMailed, untilRevoked } from './mailed-password.ts'
import { databaseTime, isPasswordStill } from './password-set.ts'
import { type Addressed, findAcceptedLink, hasProof, isOurUser, noteAcceptedLink, noteConfirmed } from './proof.ts'
import { signIn } from './sign-in.ts'

/**
 * `POST /confirm`: proves an address and its password together, and signs in. The link of the mail proves the address. The
 * password has to be the stored one; else 409 `password_mismatch`, and with `set` it replaces the stored one.
 * A user with a second factor needs its code too, and cannot use `set`: a link must not replace both.
 *
 * The first call uses up the link at the provider. Whatever its answer, the same link can be tried again for ten minutes,
 * until it has signed somebody in.
 */
export function confirm(app: TypedApp, context: AuthContext): void {
  const { identity, database, projector, clock, limits, codes } = context
  app.post(
    '/confirm',
    {
      preHandler: limitAttempts(app, { what: 'confirm', perMinute: limits.confirm, subjectOf: linkOf }),
      schema: { body: ConfirmRequest, response: answers({ 200: UserResponse }) }
    },
    async (request, reply) => {
      const { body, ip } = request
      const { password, code, set: isReplacing = false } = body
      if (isReplacing) checkNewPassword(password)
      const limit = identity.startLimit()
      const proved = await acceptLink(context, body, ip, limit)
      if (proved === null) throw new ServiceError('link_invalid')
      const wasProved = await hasProof(database.orm, proved)
      const checkedAt = await databaseTime(database.orm)
      const user = isReplacing
        ? await replacePassword(context, proved, password, limit)
        : await checkPassword(context, proved, { password, from: ip, askCode: codes.ask(request, code) }, limit)
      const by: By = { actorId: user.id, ip, at: clock() }
      let revoked: readonly RevokedKey[] = []
      const answer = await signIn(context, request, reply, {
        user,
        now: by.at,
        decide: async (tx, isOurs) => {
          if (!isOurs) throw new ServiceError('link_invalid')
          if (!wasProved) await recordAudit(tx, { accountId: user.id, ...by, action: 'auth.address_confirmed' })
          if (isReplacing) revoked = await passwordWasMailed(tx, user.id, !wasProved, by)
          else if (!(await isPasswordStill(tx, user.id, checkedAt))) throw new ServiceError('password_mismatch')
        }
      })
      // A new password ends it, too.
      if ('access_token' in body && !isReplacing) await identity.endSession(body.access_token, limit)
      await untilRevoked(projector, revoked)
      return answer
    }
  )
}

const cannotReplace =
  'This account has a second factor. Enter its present password, or ask for a mail to set a new one.'

/** What a mailed link brought: attempts are counted for each. */
function linkOf({ body }: FastifyRequest): string {
  const link = body as ConfirmRequest
  return 'token_hash' in link ? link.token_hash : link.access_token
}

/** @returns null if the link does not work (any more) */
async function acceptLink(
  { identity, database, clock }: AuthContext,
  link: ConfirmRequest,
  from: string,
  limit: AbortSignal
): Promise<Addressed | null> {
  const { orm } = database
  const now = clock()
  if (!('token_hash' in link)) {
    const user = await identity.acceptLinkSession(link.access_token, from, limit)
    if (user !== null) await noteConfirmed(orm, user, now)
    return user
  }
  const begun = await findAcceptedLink(orm, link.token_hash, now)
  if (begun !== null) return begun
  const user = await identity.confirm(link.token_hash, link.type, from, limit)
  // Another request may have used it up at this moment.
  if (user === null) return findAcceptedLink(orm, link.token_hash, now)
  await noteAcceptedLink(orm, user, link.token_hash, now)
  return user
}

/** @throws ServiceError as of `Identity.signIn`, with `password_mismatch` for a wrong password; `link_invalid` if the address belongs to somebody else by now */
async function checkPassword(
  { identity }: AuthContext,
  { id, email }: Addressed,
  { password, from, askCode }: { password: string; from: string; askCode: AskCode },
  limit: AbortSignal
): Promise<IdentityUser> {
  try {
    const user = await identity.signIn(email, password, from, limit, askCode)
    if (user.id === id && foldCase(user.email) === foldCase(email)) return user
  } catch (error) {
    if (!(error instanceof ServiceError) || error.code !== 'invalid_credentials') throw error
    throw new ServiceError('password_mismatch', { cause: error })
  }
  throw new ServiceError('link_invalid')
}

/**
 * Sets the password at the provider, which ends all sessions there.
 *
 * Whoever knows the first password may sign in at the provider itself once the address is confirmed, and change the
 * address there: then the link proves nothing any more.
 *
 * @throws ServiceError `weak_password`, `link_invalid`; `password_mismatch` for a user with a second factor
 */
async function replacePassword(
  { identity, database }: AuthContext,
  { id, email }: Addressed,
  password: string,
  limit: AbortSignal
): Promise<IdentityUser> {
  const seen = await identity.findUser(id, limit)
  if (seen === null || seen.isBanned || foldCase(seen.email) !== foldCase(email)) {
    throw new ServiceError('link_invalid')
  }
  if (!(await isOurUser(database.orm, id))) {
    // Set up by whoever registered this address first.
    await identity.clearSecondFactors(id, limit)
  } else if (await identity.hasSecondFactor(id, limit)) {
    throw new ServiceError('password_mismatch', { message: cannotReplace })
  }
  const user = await identity.setPassword(id, password, limit)
  if (user === null || foldCase(user.email) !== foldCase(email)) throw new ServiceError('link_invalid')
  return user
}
