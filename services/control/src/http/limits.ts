/** Attempts per minute, for each client address and for each e-mail address or user. */
export interface Limits {
  /** Every write of a session, or of a client address without one: see `callerLimits`. */
  readonly write: number
  /** Every write of a session in a day. A new sign-in starts again. */
  readonly writesPerDay: number
  /** Every write of one caller to the endpoints that partners' servers call, or providers. */
  readonly writeByServer: number
  /** Every read of a session or of a management key. */
  readonly read: number
  readonly login: number
  readonly register: number
  /** Starts or ends a sign-in with a provider such as GitHub. Counted for each client address. */
  readonly providerSignIn: number
  /** Checks the password after a mailed link. Counted for each client address and for each link. */
  readonly confirm: number
  readonly forgotPassword: number
  readonly resendConfirmation: number
  /** Sets a new password with a mailed link. */
  readonly resetPassword: number
  /** Checks the present password, like a login. */
  readonly changePassword: number
  /** Sets up a second factor, or turns it on or off. Checks the password too. */
  readonly secondFactor: number
  /** Codes per hour, for each user, and for each browser that the user signed in with before. */
  readonly codesPerHour: number
  /** Wrong passwords and codes per day, for each account, and for each browser that its owner signed in with before. */
  readonly wrongGuessesPerDay: number
  /** Checks the password again before acts that need a confirmation. */
  readonly reauthenticate: number
  /** Changes or deletes the user. */
  readonly changeUser: number
  /** Asks for a token for the playground. */
  readonly playgroundToken: number
  /** Exports everything that is stored about the user. */
  readonly exportData: number
  /** Starts an export of the request log. */
  readonly exportRequests: number
  /** Starts an export of the audit log. */
  readonly exportAudit: number
  /** Mails an invitation to a stranger. */
  readonly invite: number
  /** Shows who invites. Counted for each client address. */
  readonly readInvitation: number
  readonly acceptInvitation: number
  /** Reads the public status. Counted for each client address. */
  readonly readStatus: number
  /** Changes webhook endpoints, tests them, and repeats deliveries. */
  readonly changeWebhooks: number
  /** Tests and repeated deliveries of webhooks in a day, for each account: each leaves a row. */
  readonly webhookTestsPerDay: number
  /** Mails per hour that one account, or one client address, makes the identity provider send. */
  readonly mailsPerHour: number
  /** Mails per day of each kind that one recipient gets. */
  readonly confirmationsPerDay: number
  readonly recoveriesPerDay: number
  readonly invitationsPerDay: number
  /** Every call to the payment provider. */
  readonly billing: number
}

export const defaultLimits: Limits = {
  write: 240,
  writesPerDay: 5000,
  writeByServer: 12_000,
  read: 1200,
  login: 10,
  register: 5,
  providerSignIn: 20,
  confirm: 10,
  forgotPassword: 5,
  resendConfirmation: 5,
  resetPassword: 10,
  changePassword: 5,
  secondFactor: 5,
  codesPerHour: 10,
  wrongGuessesPerDay: 100,
  reauthenticate: 10,
  changeUser: 20,
  playgroundToken: 30,
  exportData: 5,
  exportRequests: 20,
  exportAudit: 20,
  invite: 20,
  readInvitation: 60,
  acceptInvitation: 20,
  readStatus: 120,
  changeWebhooks: 60,
  // A third of what Supabase Auth sends per hour by default with an own mail server.
  mailsPerHour: 10,
  confirmationsPerDay: 10,
  recoveriesPerDay: 20,
  invitationsPerDay: 3,
  webhookTestsPerDay: 200,
  billing: 30
}
