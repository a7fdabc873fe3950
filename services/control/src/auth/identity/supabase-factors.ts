import type { AuthError, Factor, User } from '@supabase/supabase-js'
import { ServiceError } from '@tollgate/contracts/errors/service-error.ts'
import type { Identity } from './identity.ts'
import { type Client, guarded, requireUser } from './supabase-client.ts'
import { unexpectedFailure } from './supabase-failure.ts'

type FactorCalls = Pick<
  Identity,
  'startSecondFactor' | 'confirmSecondFactor' | 'removeSecondFactor' | 'hasSecondFactor' | 'clearSecondFactors'
>

/** Signs in with a password, and closes the provider's session when `use` has ended. */
export type WithSession = <Result>(
  email: string,
  password: string,
  from: string,
  limit: AbortSignal | undefined,
  use: (client: Client, user: User) => Promise<Result>
) => Promise<Result>

/** What the dashboards of Supabase call the factor. A user can have only one of this name. */
const friendlyName = 'Tollgate'

/**
 * Second factors at the provider. Tollgate knows TOTP only: factors of other types, which another application of the same
 * project may have set up, are never asked for and never removed.
 *
 * @param issuer names the service in authenticator apps
 * @param admin makes a client with the service role key
 */
export function factorCalls(
  withSession: WithSession,
  issuer: string,
  admin: (limit?: AbortSignal) => Client['admin']
): FactorCalls {
  const findFactors = async (id: string, limit: AbortSignal | undefined): Promise<TotpFactor[]> => {
    const { data, error } = await admin(limit).getUserById(id)
    if (error !== null) throw unexpectedFailure(error)
    return totpFactors(requireUser(data.user))
  }

  return {
    startSecondFactor: (email, password, from, limit) =>
      guarded(() =>
        withSession(email, password, from, limit, async (client, user) => {
          if (totpFactors(user).some(isActive)) throw new ServiceError('second_factor_enabled')
          // The provider refuses a second one of the same name.
          await removeAll(client, totpFactors(user))
          const { data, error } = await client.mfa.enroll({ factorType: 'totp', friendlyName, issuer })
          if (error !== null) throw factorFailure(error)
          const { secret, uri } = data.totp ?? {}
          if (typeof secret === 'string' && typeof uri === 'string') return { secret, uri }
          throw new ServiceError('identity_unavailable', { cause: new Error('an answer without a secret') })
        })
      ),

    confirmSecondFactor: (email, password, askCode, from, limit) =>
      guarded(() =>
        withSession(email, password, from, limit, async (client, user) => {
          const factors = totpFactors(user)
          if (factors.some(isActive)) throw new ServiceError('second_factor_enabled')
          if (factors.length === 0) throw new ServiceError('no_second_factor')
          await verifyCode(client, factors, await askCode(user.id))
        })
      ),

    removeSecondFactor: (email, password, askCode, from, limit) =>
      guarded(() =>
        withSession(email, password, from, limit, async (client, user) => {
          const factors = totpFactors(user)
          const active = factors.filter(isActive)
          if (active.length === 0) throw new ServiceError('no_second_factor')
          await verifyCode(client, active, await askCode(user.id))
          // The provider removed those that were never confirmed.
          await removeAll(client, active)
        })
      ),

    hasSecondFactor: (id, limit) => guarded(async () => (await findFactors(id, limit)).some(isActive)),

    clearSecondFactors: (id, limit) =>
      guarded(async () => {
        for (const factor of await findFactors(id, limit)) {
          const { error } = await admin(limit).mfa.deleteFactor({ userId: id, id: factor.id })
          if (error !== null) throw unexpectedFailure(error)
        }
      })
  }
}

type TotpFactor = Pick<Factor, 'id' | 'status'>

const totpFactors = (user: User): TotpFactor[] => (user.factors ?? []).filter((one) => one.factor_type === 'totp')
const isActive = ({ status }: TotpFactor): boolean => status === 'verified'

/** The factors that a sign-in has to verify. */
export const activeFactors = (user: User): TotpFactor[] => totpFactors(user).filter(isActive)

/**
 * Verifies a code against any of the factors; the provider's session has level `aal2` then.
 *
 * @throws ServiceError `invalid_code`, `second_factor_unavailable`
 */
export async function verifyCode(client: Client, factors: readonly TotpFactor[], code: string): Promise<void> {
  let refusal: AuthError | null = null
  for (const { id } of factors) {
    const { error } = await client.mfa.challengeAndVerify({ factorId: id, code })
    if (error === null) return
    if (!wrongCode.has(error.code)) throw factorFailure(error)
    refusal = error
  }
  throw new ServiceError('invalid_code', { cause: refusal })
}

async function removeAll(client: Client, factors: readonly TotpFactor[]): Promise<void> {
  for (const { id } of factors) {
    const { error } = await client.mfa.unenroll({ factorId: id })
    if (error !== null) throw factorFailure(error)
  }
}

/** The code is wrong, or a hook of the project's operator refuses it. */
const wrongCode = new Set<unknown>(['mfa_verification_failed', 'mfa_verification_rejected'])
const turnedOff = new Set<unknown>(['mfa_totp_enroll_not_enabled', 'mfa_totp_verify_not_enabled'])

function factorFailure(error: AuthError): ServiceError {
  return turnedOff.has(error.code)
    ? new ServiceError('second_factor_unavailable', { cause: error })
    : unexpectedFailure(error)
}
