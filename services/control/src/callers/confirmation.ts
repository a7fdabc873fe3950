import { ServiceError } from '@tollgate/contracts/errors/service-error.ts'

/*
 * Whoever steals a session has no password. So calls that give away money or rights, or that cannot be undone, need a user who
 * signed in, or gave their password again, a few minutes ago (OWASP, "Session Management": reauthentication). A session
 * remembers when that was; see auth/reauthenticate.ts.
 */

/** How long a confirmation counts. */
export const confirmedMs = 10 * 60_000

/** When the user of a session last confirmed that it is them. Null: never. */
export interface Confirmed {
  /** With the password, or by a sign-in with a provider. */
  readonly at: Date | null
  /** With a code of the second factor, too. */
  readonly codeAt: Date | null
}

const isRecent = (at: Date | null, now: Date): boolean => at !== null && now.getTime() - at.getTime() < confirmedMs

/** @throws ServiceError `confirmation_required` */
export function assertConfirmed({ at }: Confirmed, now: Date): void {
  if (!isRecent(at, now)) throw new ServiceError('confirmation_required')
}

/**
 * For acts of operators.
 *
 * @param needsCode whether operators must have a second factor
 * @throws ServiceError `confirmation_required`; `operator_needs_second_factor` for an operator without one
 */
export function assertOperatorConfirmed(confirmed: Confirmed, needsCode: boolean, now: Date): void {
  assertConfirmed(confirmed, now)
  // Every confirmation asks for the code, if there is a second factor.
  if (needsCode && !isRecent(confirmed.codeAt, now)) throw new ServiceError('operator_needs_second_factor')
}
