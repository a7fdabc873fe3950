/** Attempts a minute, of one client address and of one e-mail address or user each. */
export type Limits = {
  readonly login: number
  readonly register: number
  /** Checks the password that goes with a mailed link. Counted for each client address and for each link. */
  readonly confirm: number
  readonly forgotPassword: number
  readonly resendConfirmation: number
  /** Setting a new password with the link of a mail. */
  readonly resetPassword: number
  /** Checks the present password, like a login. */
  readonly changePassword: number
  /** Setting up a second factor, and turning it on or off. Checks the password too. */
  readonly secondFactor: number
  /** Codes an hour that are checked for one user, or for one browser that the user signed in with before. */
  readonly codesPerHour: number
  /** Changing or deleting oneself. */
  readonly changeUser: number
  /** Invitations are mailed to strangers. */
  readonly invite: number
  readonly acceptInvitation: number
  /** Whatever asks the payment provider. */
  readonly billing: number
}

export const defaultLimits: Limits = {
  login: 10,
  register: 5,
  confirm: 10,
  forgotPassword: 5,
  resendConfirmation: 5,
  resetPassword: 10,
  changePassword: 5,
  secondFactor: 5,
  codesPerHour: 10,
  changeUser: 20,
  invite: 20,
  acceptInvitation: 20,
  billing: 30
}
