/** Somebody as the identity provider knows them. */
export type IdentityUser = {
  /** UUID */
  id: string
  email: string
  name: string
  /** `app_metadata.plan`, whatever an operator wrote there; null if it is missing. */
  plan: string | null
}

export type Registration = { email: string; password: string; name: string }

/**
 * What the service asks of its identity provider. No call keeps a session or a token of the provider.
 *
 * `from` is always the address of the client, which the provider counts for its own limits.
 * Every call throws ServiceError `identity_unavailable` within the adapter's time limit if the provider does not answer,
 * and `too_many_requests` if it refuses for the moment.
 */
export type Identity = {
  /**
   * Creates a user, whom the provider mails a link to confirm the address. For an address that is registered already
   * nothing is changed, and nothing tells.
   * @throws ServiceError `invalid_email`, `weak_password`, `registration_closed`
   */
  register(registration: Registration, from: string): Promise<void>
  /** Uses up the token of a confirmation link. @returns false if it is wrong, used up or expired */
  confirm(tokenHash: string, type: ConfirmationType, from: string): Promise<boolean>
  /** Checks a password. @throws ServiceError `invalid_credentials`, `email_not_confirmed` */
  signIn(email: string, password: string, from: string): Promise<IdentityUser>
}

/** Links of these types prove an address and do nothing else. */
export const confirmationTypes = ['signup', 'email'] as const
export type ConfirmationType = (typeof confirmationTypes)[number]
