import type { ConfirmationType } from '@tollgate/contracts/http/auth.ts'

/** Somebody as the identity provider knows them. */
export type IdentityUser = {
  /** UUID */
  id: string
  email: string
  name: string
  /** `app_metadata.plan`, whatever an operator wrote there; null if it is missing. */
  plan: string | null
  /** Whether an operator keeps them from signing in, for now or for good. */
  isBanned: boolean
}

/** Somebody whose password the provider has just checked. */
export type CheckedUser = IdentityUser & {
  /** Whether an operator or the admin API created the user with this address, confirmed: no mail ever proved it. */
  isConfirmedByOperator: boolean
}

/**
 * Gives the code of the second factor. It is called only when the password was right and a code is needed.
 *
 * @throws ServiceError `second_factor_required` without a code, `too_many_requests` after too many
 */
export type AskCode = (userId: string) => Promise<string>

/** A new second factor, as an authenticator app needs it. */
export type NewSecondFactor = {
  /** Base32, to be typed. */
  secret: string
  /** `otpauth://totp/…`, to be shown as a QR code. */
  uri: string
}

export type Registration = { email: string; password: string; name: string }

/**
 * What the service asks of its identity provider. No call keeps a session or a token of the provider.
 *
 * `from` is always the address of the client, which the provider counts for its own limits. `limit` ends a call that is
 * one of several which may take the adapter's time limit together only.
 * Every call throws ServiceError `identity_unavailable` within the adapter's time limit if the provider does not answer,
 * and `too_many_requests` if it refuses for the moment.
 */
export type Identity = {
  /** Starts the adapter's time limit, for several calls. */
  startLimit(): AbortSignal
  /**
   * Creates a user, whom the provider mails a link to confirm the address. For an address that is registered already
   * nothing is changed, and nothing tells the client.
   * @returns the user who has to confirm the address; null if the provider does not say who it is, as for an address that
   * is confirmed
   * @throws ServiceError `invalid_email`, `weak_password`, `registration_closed`
   */
  register(registration: Registration, from: string): Promise<IdentityUser | null>
  /**
   * Uses up the token of a confirmation link, which confirms the address at the provider.
   * @returns its user; null if the token is wrong, used up or expired
   */
  confirm(tokenHash: string, type: ConfirmationType, from: string, limit?: AbortSignal): Promise<IdentityUser | null>
  /**
   * Checks a password, and the code of the second factor if the user has one.
   *
   * @param askCode by default nobody has a code
   * @throws ServiceError `invalid_credentials`, `email_not_confirmed`, `second_factor_required`, `invalid_code`,
   * `second_factor_unavailable`, and what `askCode` throws
   */
  signIn(email: string, password: string, from: string, limit?: AbortSignal, askCode?: AskCode): Promise<CheckedUser>
  /**
   * Checks a password alone, of somebody who is signed in already. It must not open a session.
   *
   * @throws ServiceError `invalid_credentials`, `email_not_confirmed`
   */
  checkPassword(email: string, password: string, from: string, limit?: AbortSignal): Promise<void>

  /**
   * Makes a second factor, which is active once it is confirmed. One that was not confirmed is replaced.
   *
   * @throws ServiceError `invalid_credentials`, `second_factor_enabled`, `second_factor_unavailable`
   */
  startSecondFactor(email: string, password: string, from: string, limit?: AbortSignal): Promise<NewSecondFactor>
  /**
   * Makes the new second factor active.
   *
   * @throws ServiceError `invalid_credentials`, `second_factor_enabled`, `no_second_factor`, `invalid_code`, and what
   * `askCode` throws
   */
  confirmSecondFactor(
    email: string,
    password: string,
    askCode: AskCode,
    from: string,
    limit?: AbortSignal
  ): Promise<void>
  /**
   * Removes every active second factor.
   *
   * @throws ServiceError `invalid_credentials`, `no_second_factor`, `invalid_code`, and what `askCode` throws
   */
  removeSecondFactor(
    email: string,
    password: string,
    askCode: AskCode,
    from: string,
    limit?: AbortSignal
  ): Promise<void>
  /** Whether a user has an active second factor. */
  hasSecondFactor(id: string, limit?: AbortSignal): Promise<boolean>
  /** Removes every second factor of a user without a code. */
  clearSecondFactors(id: string, limit?: AbortSignal): Promise<void>

  /** Has the confirmation mail sent again, where there is an address to confirm. Nothing tells whether there is. */
  resendConfirmation(email: string, from: string): Promise<void>
  /** Has a mail with a link to a new password sent, where the address is known. Nothing tells whether it is. */
  sendRecovery(email: string, from: string): Promise<void>
  /** Uses up the token of a recovery link, or of an invitation's. @returns its user; null if it is wrong, used up or expired */
  acceptRecovery(tokenHash: string, from: string, limit?: AbortSignal): Promise<IdentityUser | null>
  /**
   * Whose access token this is, if it came from a mailed link moments ago and its session still stands: signature,
   * issuer, audience, role, age and the way of signing in are checked. A token of a password sign-in is not enough.
   * @returns the user; null for any other token
   */
  acceptLinkSession(accessToken: string, from: string, limit?: AbortSignal): Promise<IdentityUser | null>
  /** Ends the provider's session of an access token, so that the link it came from works once. Never throws. */
  endSession(accessToken: string, limit?: AbortSignal): Promise<void>

  /** Whether the provider considers the user's address confirmed. False if there is no such user (any more). */
  isConfirmed(id: string): Promise<boolean>
  /** @returns null if there is no such user (any more) */
  findUser(id: string, limit?: AbortSignal): Promise<IdentityUser | null>
  /** A page of all users, from 1 on, newest first. @returns null beyond the last */
  listUsers(page: number, size: number): Promise<IdentityUser[] | null>
  /**
   * Sets a password; all the user's sessions at the provider end.
   * @returns the user as they are now; null if there is no such user
   * @throws ServiceError `weak_password`
   */
  setPassword(id: string, password: string, limit?: AbortSignal): Promise<IdentityUser | null>
  /** @returns the user as they are now; null if there is no such user */
  setName(id: string, name: string): Promise<IdentityUser | null>
  /** Sets `app_metadata.plan`. For the plan writer only, since the provider's merge is not atomic. */
  setPlan(id: string, plan: string, limit?: AbortSignal): Promise<void>
  /**
   * Has an invitation mailed, with a link to `redirectTo`. To an address that nobody has confirmed yet the link brings a
   * token to choose a password with. To a user with a confirmed address the provider sends its magic link mail, whose
   * link in our template is `redirectTo` alone.
   * @returns whom it was mailed to
   * @throws ServiceError `too_many_requests` also if this user had a mail moments ago
   */
  invite(email: string, redirectTo: string, from: string): Promise<'newcomer' | 'user'>
  /** Deletes a user for good. One who is gone already is fine. */
  deleteUser(id: string): Promise<void>
}
