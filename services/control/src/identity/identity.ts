import type { ConfirmationType, OperatorRole } from '@tollgate/contracts/http/auth.ts'

/** A user as the identity provider describes them. */
export interface IdentityUser {
  /** UUID */
  id: string
  email: string
  name: string
  /** `app_metadata.plan`, unchecked; null if it is missing. */
  plan: string | null
  /** Whether `app_metadata.role` names an operator: they may use `/api/admin`. */
  isOperator: boolean
  /** What an operator may do, as users.operatorRoles stores it; null: everything. */
  operatorRoles: string | null
  /** Whether an operator has banned them, for a time or for ever. */
  isBanned: boolean
}

/** A user whose password the provider has just checked. */
export interface CheckedUser extends IdentityUser {
  /** Whether an operator or the admin API created the user with this address already confirmed: no mail proved it. */
  isConfirmedByOperator: boolean
}

/** A user who just signed in with a sign-in provider such as GitHub. */
export interface ProviderUser extends IdentityUser {
  /** Whether every sign-in provider of the user vouches for the user's address. */
  isAddressVerified: boolean
}

/**
 * Gives the code of the second factor. Called only if the password is right and a code is needed. Null: a recovery code
 * or a recovered session replaces it.
 *
 * @throws ServiceError `second_factor_required` without a code, `too_many_requests` after too many codes
 */
export type AskCode = (userId: string) => Promise<string | null>

/** A new second factor, as an authenticator app needs it. */
export interface NewSecondFactor {
  /** Base32, for typing. */
  secret: string
  /** `otpauth://totp/…`, for a QR code. */
  uri: string
}

/** An invitation to a team. */
export interface Invitation {
  /** Its page. It contains the invitation's secret. */
  readonly link: string
  /** Who invites, as plain text: the mail names them. */
  readonly invitedBy: string
}

export interface Registration {
  email: string
  password: string
  name: string
}

/** What a form proves that anybody can send: the answer to its CAPTCHA, if it has one. */
export interface FormProof {
  readonly captchaToken: string | undefined
}

/**
 * The identity provider. No call keeps a session or a token of the provider.
 *
 * `from` is the client's IP address: the provider counts it for its own limits. `deadline` is shared by several calls;
 * without it, a call has the adapter's own timeout.
 * Every call throws ServiceError `identity_unavailable` if the provider does not answer by the deadline, and
 * `too_many_requests` if it refuses for the moment.
 *
 * With a `proof`, the provider checks the CAPTCHA if it demands one, and the call throws `captcha_failed`. Calls
 * without a proof are control's own: it knows by other means who asks, and the provider demands none.
 */
export interface Identity {
  /** Starts a deadline that several calls can share. */
  startDeadline(): AbortSignal
  /**
   * Creates a user. The provider mails them a link to confirm the address. For a registered address it changes nothing,
   * and the client cannot tell.
   * @returns the user who must confirm the address; null if the provider does not name them, as for a confirmed address
   * @throws ServiceError `invalid_email`, `weak_password`, `registration_closed`
   */
  register(registration: Registration, from: string, proof: FormProof): Promise<IdentityUser | null>
  /**
   * Uses the token of a confirmation link. The provider then considers the address confirmed.
   * @returns its user; null if the token is wrong, used or expired
   */
  confirm(tokenHash: string, type: ConfirmationType, from: string, deadline?: AbortSignal): Promise<IdentityUser | null>
  /**
   * Checks a password, and the code of the second factor if the user has one.
   *
   * @param askCode by default, throws `second_factor_required`
   * @throws ServiceError `invalid_credentials`, `email_not_confirmed`, `second_factor_required`, `invalid_code`,
   * `second_factor_unavailable`, and what `askCode` throws
   */
  signIn(
    email: string,
    password: string,
    from: string,
    deadline?: AbortSignal,
    askCode?: AskCode,
    proof?: FormProof
  ): Promise<CheckedUser>
  /**
   * Checks only the password of a user who is already signed in. It must not open a session.
   *
   * @throws ServiceError `invalid_credentials`, `email_not_confirmed`
   */
  checkPassword(email: string, password: string, from: string, deadline?: AbortSignal): Promise<void>

  /**
   * Creates a second factor. It is active once confirmed, and replaces an unconfirmed one.
   *
   * @throws ServiceError `invalid_credentials`, `second_factor_enabled`, `second_factor_unavailable`
   */
  startSecondFactor(email: string, password: string, from: string, deadline?: AbortSignal): Promise<NewSecondFactor>
  /**
   * Activates the new second factor.
   *
   * @throws ServiceError `invalid_credentials`, `second_factor_enabled`, `no_second_factor`, `invalid_code`, and what
   * `askCode` throws
   */
  confirmSecondFactor(
    email: string,
    password: string,
    askCode: AskCode,
    from: string,
    deadline?: AbortSignal
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
    deadline?: AbortSignal
  ): Promise<void>
  /** Whether a user has an active second factor. */
  hasSecondFactor(id: string, deadline?: AbortSignal): Promise<boolean>
  /** Removes the second factors that were set up through Tollgate, without a code. Those of other applications stay. */
  clearSecondFactors(id: string, deadline?: AbortSignal): Promise<void>

  /**
   * The address of the page that signs a person in with a provider such as GitHub. It returns to `redirectTo` with
   * `code` or `error`.
   *
   * @param codeChallenge SHA-256 of the verifier, base64url (RFC 7636)
   */
  providerPage(provider: string, codeChallenge: string, redirectTo: string): string
  /**
   * Exchanges the code of that page, once.
   * @returns its user; null if the code is wrong, used or expired, if it is not of this verifier, or if the user is
   *   banned
   */
  acceptProviderCode(code: string, verifier: string, from: string, deadline?: AbortSignal): Promise<ProviderUser | null>
  /**
   * Checks only the second factor, of a user whom a sign-in provider has just authenticated.
   * @throws ServiceError `not_authenticated` if the user may no longer sign in, `invalid_code`,
   *   `second_factor_unavailable`,
   * and what `askCode` throws
   */
  checkCode(email: string, askCode: AskCode, from: string, deadline?: AbortSignal): Promise<IdentityUser>

  /** Has the confirmation mail sent again if the address needs one. The caller cannot tell whether it does. */
  resendConfirmation(email: string, from: string, proof: FormProof): Promise<void>
  /** Has a link to a new password mailed if the address is known. The caller cannot tell whether it is. */
  sendRecovery(email: string, from: string, proof?: FormProof): Promise<void>
  /** Uses the token of a recovery or invitation link. @returns its user; null if the token is wrong, used or expired */
  acceptRecovery(tokenHash: string, from: string, deadline?: AbortSignal): Promise<IdentityUser | null>
  /**
   * Finds the user of an access token from a recent mailed link, if its session is still open. It checks signature,
   * issuer, audience, role, age and sign-in method. A token of a password sign-in is refused.
   * @returns null for any other token
   */
  acceptLinkSession(accessToken: string, from: string, deadline?: AbortSignal): Promise<IdentityUser | null>
  /** Ends the provider's session of an access token, so that its link works only once. Never throws. */
  endSession(accessToken: string, deadline?: AbortSignal): Promise<void>

  /** Whether the provider considers the user's address confirmed. False if the user does not exist. */
  isConfirmed(id: string): Promise<boolean>
  /** @returns null if the user does not exist */
  findUser(id: string, deadline?: AbortSignal): Promise<IdentityUser | null>
  /** A page of all users, newest first. Pages start at 1. @returns null after the last page */
  listUsers(page: number, size: number): Promise<IdentityUser[] | null>
  /**
   * Sets a password. All the user's sessions at the provider end.
   * @returns the changed user; null if the user does not exist
   * @throws ServiceError `weak_password`
   */
  setPassword(id: string, password: string, deadline?: AbortSignal): Promise<IdentityUser | null>
  /**
   * Sets the name that the user chose. Sign-in providers cannot replace it.
   * @returns the changed user; null if the user does not exist
   */
  setName(id: string, name: string): Promise<IdentityUser | null>
  /** Drops the chosen name, so that the one of a sign-in provider counts. @returns as {@link setName} */
  clearName(id: string, deadline?: AbortSignal): Promise<IdentityUser | null>
  /** Sets `app_metadata.plan`. Only the plan writer may call it: the provider's merge is not atomic. */
  setPlan(id: string, plan: string, deadline?: AbortSignal): Promise<void>
  /**
   * Has an invitation mailed, with its link. For an unconfirmed address, the link has a token to choose a password
   * with. A user with a confirmed address gets the provider's magic link mail; our template has the link without a
   * token.
   * @returns which of the two got the mail
   * @throws ServiceError `too_many_requests` also if this user got a mail moments ago
   */
  invite(email: string, invitation: Invitation, from: string): Promise<'newcomer' | 'user'>
  /** Deletes a user for ever. A user who does not exist is no error. */
  deleteUser(id: string): Promise<void>
}

/** Every role. An operator without a list of roles has all. */
const allRoles: readonly OperatorRole[] = ['read', 'support', 'money']

/**
 * Reads `app_metadata.role` of the identity provider. `operator`: an operator with every role. `operator:support`, or
 * `operator:support,money`: one with these roles, and `read`. Any other value, also one that names no known role, is no
 * operator.
 *
 * @returns `operatorRoles`: the roles, separated by commas; null for all of them, and for other users
 */
export function readOperatorRole(role: unknown): { isOperator: boolean; operatorRoles: string | null } {
  const [name, list] = typeof role === 'string' ? role.split(':', 2) : []
  if (name !== 'operator') return { isOperator: false, operatorRoles: null }
  if (list === undefined) return { isOperator: true, operatorRoles: null }
  const names = new Set(list.split(',').map((one) => one.trim()))
  const roles = allRoles.filter((one) => names.has(one))
  if (roles.length === 0) return { isOperator: false, operatorRoles: null }
  return { isOperator: true, operatorRoles: allRoles.filter((one) => one === 'read' || names.has(one)).join(',') }
}

/** @param stored `operatorRoles` of an operator */
export function rolesOf(stored: string | null): OperatorRole[] {
  const names = stored?.split(',')
  return allRoles.filter((role) => names === undefined || names.includes(role))
}
