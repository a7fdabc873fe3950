import { randomBytes } from 'node:crypto'
import { ServiceError } from '@tollgate/contracts/errors/service-error.ts'
import type { UserResponse } from '@tollgate/contracts/http/auth.ts'
import { eq } from 'drizzle-orm'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Static } from 'typebox'
import { type By, recordAudit } from '../audit/record-audit.ts'
import type { Transaction } from '../database/connect.ts'
import { users } from '../database/schema/users.ts'
import { foldCase } from '../http/fold-case.ts'
import type { IdentityUser } from '../identity/identity.ts'
import type { RevokedKey } from '../keys/revoke-key.ts'
import { hasProof, isOurUser } from '../users/proof.ts'
import type { AuthContext } from './auth-context.ts'
import { awaitRevocations, isPasswordUnchanged, revokeOldAccess } from './revoke-old-access.ts'
import { signIn } from './sign-in.ts'

/** Signs in a user whom a sign-in provider authenticated, and whose second factor, if any, was checked. */
export async function completeProviderSignIn(
  context: AuthContext,
  request: FastifyRequest,
  reply: FastifyReply,
  { user, takeOver, checkedAt }: { user: IdentityUser; takeOver: TakeOver; checkedAt: string }
): Promise<Static<typeof UserResponse>> {
  const by = { actorId: user.id, ip: request.ip, at: context.clock() }
  let revoked: readonly RevokedKey[] = []
  const answer = await signIn(context, request, reply, {
    user,
    now: by.at,
    decide: async (tx, isOurs) => {
      // The user was deleted, or changed password or second factor, while the provider was asked.
      if (!isOurs || !(await isPasswordUnchanged(tx, user.id, checkedAt))) throw new ServiceError('not_authenticated')
      revoked = await takeOver(tx, by)
    }
  })
  await awaitRevocations(context.projector, revoked)
  return answer
}

/** What the transaction of a sign-in with a provider does besides opening the session. */
type TakeOver = (tx: Transaction, by: By) => Promise<readonly RevokedKey[]>

/** It has every kind of character that a project may require. */
const unguessablePassword = (): string => `${randomBytes(32).toString('base64url')}-aA1`

interface TakenOver {
  /** As they are now at the identity provider. */
  readonly user: IdentityUser
  readonly takeOver: TakeOver
}

/**
 * Makes a user who signed in with a provider theirs. The provider proves the address, like a mailed link.
 *
 * If nobody proved the address before, a stranger may have registered it, and may know its password. So the password is
 * replaced with a random one, which also ends all sessions at Supabase Auth. The person can set their own by mail.
 * Their name is the provider's, not the stranger's.
 *
 * @returns null if the user has another address by now, or is deleted
 */
export async function takeOverUser(
  { identity, database }: AuthContext,
  user: IdentityUser,
  deadline: AbortSignal
): Promise<TakenOver | null> {
  const { orm } = database
  if (await hasProof(orm, user)) return { user, takeOver: async () => [] }
  const isOurs = await isOurUser(orm, user.id)
  const changed = await identity.setPassword(user.id, unguessablePassword(), deadline)
  if (changed === null || foldCase(changed.email) !== foldCase(user.email)) return null
  if (!isOurs) await identity.clearSecondFactors(user.id, deadline)
  const current = isOurs ? changed : await identity.clearName(user.id, deadline)
  if (current === null) return null
  const takeOver: TakeOver = async (tx, by) => {
    await recordAudit(tx, { accountId: user.id, ...by, action: 'auth.address_confirmed' })
    // A user who is new here has no keys.
    const revoked = isOurs ? await revokeOldAccess(tx, user.id, true, by) : []
    await tx.update(users).set({ hasPassword: false }).where(eq(users.id, user.id))
    return revoked
  }
  return { user: current, takeOver }
}
