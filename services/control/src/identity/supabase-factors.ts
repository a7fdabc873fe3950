import type { AuthError, Factor, User } from '@supabase/supabase-js'
import { ServiceError } from '@tollgate/contracts/errors/service-error.ts'
import type { Identity } from './identity.ts'
import { type Client, guarded, requireUser, unexpectedFailure } from './supabase-client.ts'

type FactorCalls = Pick<
  Identity,
  'startSecondFactor' | 'confirmSecondFactor' | 'removeSecondFactor' | 'hasSecondFactor' | 'clearSecondFactors'
>

/** Signs in with a password, runs `use`, and closes the provider's session. */
export type WithSession = <Result>(
  email: string,
  password: string,
  from: string,
  deadline: AbortSignal | undefined,
  use: (client: Client, user: User) => Promise<Result>
) => Promise<Result>

/** The factor's name in Supabase's dashboard. A user can have only one factor of this name. */
const friendlyName = 'Tollgate'
/** For an enrolment that meets another enrolment of the same user. */
const maxEnrolmentAttempts = 4

/**
 * Second factors at the provider. Tollgate supports only TOTP. Another application of the same project may have set up
 * other types: Tollgate never asks for them and never removes them.
 *
 * @param issuer the service's name in authenticator apps
 * @param admin makes a client with the service role key
 */
export function factorCalls(
  withSession: WithSession,
  issuer: string,
  admin: (deadline?: AbortSignal) => Client['admin']
): FactorCalls {
  const findFactors = async (id: string, deadline: AbortSignal | undefined): Promise<TotpFactor[]> => {
    const { data, error } = await admin(deadline).getUserById(id)
    if (error !== null) throw unexpectedFailure(error)
    return totpFactors(requireUser(data.user))
  }

  return {
    startSecondFactor: (email, password, from, deadline) =>
      guarded(() =>
        withSession(email, password, from, deadline, async (client, user) => {
          if (totpFactors(user).some(isActive)) throw new ServiceError('second_factor_enabled')
          const { secret, uri } = await enrol(client, user, issuer)
          if (typeof secret === 'string' && typeof uri === 'string') return { secret, uri }
          throw new ServiceError('identity_unavailable', { cause: new Error('an answer without a secret') })
        })
      ),

    confirmSecondFactor: (email, password, askCode, from, deadline) =>
      guarded(() =>
        withSession(email, password, from, deadline, async (client, user) => {
          const factors = totpFactors(user)
          if (factors.some(isActive)) throw new ServiceError('second_factor_enabled')
          if (factors.length === 0) throw new ServiceError('no_second_factor')
          await verifyCode(client, factors, await askCode(user.id))
        })
      ),

    removeSecondFactor: (email, password, askCode, from, deadline) =>
      guarded(() =>
        withSession(email, password, from, deadline, async (client, user) => {
          const factors = totpFactors(user)
          const active = factors.filter(isActive)
          if (active.length === 0) throw new ServiceError('no_second_factor')
          const code = await askCode(user.id)
          if (code === null) return removeAsAdmin(admin(deadline), user.id, active)
          await verifyCode(client, active, code)
          // The provider removed unconfirmed factors.
          await removeAll(client, active)
        })
      ),

    hasSecondFactor: (id, deadline) => guarded(async () => (await findFactors(id, deadline)).some(isActive)),

    clearSecondFactors: (id, deadline) =>
      guarded(async () => {
        await removeAsAdmin(admin(deadline), id, (await findFactors(id, deadline)).filter(isOurs))
      })
  }
}

type TotpFactor = Pick<Factor, 'id' | 'status' | 'friendly_name'>

const totpFactors = (user: User): TotpFactor[] => (user.factors ?? []).filter((one) => one.factor_type === 'totp')
/** Another application of the same project may also have created factors. */
const isOurs = (factor: TotpFactor): boolean => factor.friendly_name === friendlyName
const isActive = ({ status }: TotpFactor): boolean => status === 'verified'

/** A sign-in must verify one of these factors. */
export const activeFactors = (user: User): TotpFactor[] => totpFactors(user).filter(isActive)

/**
 * Verifies a code against any of the factors. The provider's session then has level `aal2`.
 *
 * @param code null: nothing to verify, the session keeps its level
 * @throws ServiceError `invalid_code`, `second_factor_unavailable`
 */
export async function verifyCode(client: Client, factors: readonly TotpFactor[], code: string | null): Promise<void> {
  if (code === null) return
  let refusal: AuthError | null = null
  for (const { id } of factors) {
    const { error } = await client.mfa.challengeAndVerify({ factorId: id, code })
    if (error === null) return
    if (!wrongCode.has(error.code)) throw factorFailure(error)
    refusal = error
  }
  throw new ServiceError('invalid_code', { cause: refusal })
}

/** Creates an inactive factor. It replaces an unconfirmed one. */
async function enrol(client: Client, user: User, issuer: string): Promise<{ secret?: unknown; uri?: unknown }> {
  let others = totpFactors(user)
  for (let attempt = 1; ; attempt++) {
    // The provider refuses a second factor of the same name.
    await removeAll(client, others)
    const { data, error } = await client.mfa.enroll({ factorType: 'totp', friendlyName, issuer })
    if (error === null) return data.totp ?? {}
    if (error.code !== 'mfa_factor_name_conflict' || attempt === maxEnrolmentAttempts) throw factorFailure(error)
    // Another browser of the user asked at the same time.
    const { data: present, error: failure } = await client.mfa.listFactors()
    if (failure !== null) throw factorFailure(failure)
    others = present.all.filter(({ factor_type: type, status }) => type === 'totp' && status === 'unverified')
  }
}

async function removeAsAdmin(admin: Client['admin'], userId: string, factors: readonly TotpFactor[]): Promise<void> {
  for (const { id } of factors) {
    const { error } = await admin.mfa.deleteFactor({ userId, id })
    if (error !== null) throw unexpectedFailure(error)
  }
}

async function removeAll(client: Client, factors: readonly TotpFactor[]): Promise<void> {
  for (const { id } of factors) {
    const { error } = await client.mfa.unenroll({ factorId: id })
    // Another browser of the user may have removed it.
    if (error !== null && error.code !== 'mfa_factor_not_found') throw factorFailure(error)
  }
}

/** The code is wrong, or the operator's hook refuses it. */
const wrongCode = new Set<unknown>(['mfa_verification_failed', 'mfa_verification_rejected'])
const turnedOff = new Set<unknown>(['mfa_totp_enroll_not_enabled', 'mfa_totp_verify_not_enabled'])

function factorFailure(error: AuthError): ServiceError {
  return turnedOff.has(error.code)
    ? new ServiceError('second_factor_unavailable', { cause: error })
    : unexpectedFailure(error)
}
