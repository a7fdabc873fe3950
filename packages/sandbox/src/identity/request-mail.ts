import type { IdentityContext } from './context.ts'
import { GoTrueError } from './errors.ts'
import type { MailKind, TemplateValues } from './mails.ts'
import type { TokenKind } from './token-store.ts'
import { newOneTimePassword, type OneTimePassword } from './totp.ts'
import type { StoredUser } from './user-store.ts'
import { saveUser } from './users.ts'

/** The `type` in the link of a mail. */
export type VerificationType = 'signup' | 'recovery' | 'invite' | 'magiclink' | 'email_change'

type SentAt = 'confirmation_sent_at' | 'recovery_sent_at' | 'email_change_sent_at'

const mails = {
  signup: { kind: 'confirmation', token: 'confirmation', sentAt: 'confirmation_sent_at' },
  invite: { kind: 'invite', token: 'confirmation', sentAt: 'confirmation_sent_at' },
  recovery: { kind: 'recovery', token: 'recovery', sentAt: 'recovery_sent_at' },
  magiclink: { kind: 'magic_link', token: 'recovery', sentAt: 'recovery_sent_at' }
} as const satisfies Record<string, { kind: MailKind; token: TokenKind; sentAt: SentAt }>

export type MailedType = keyof typeof mails

/**
 * Gives the user a new token of this type, without sending a mail. It replaces an older token.
 *
 * @returns the code and the link
 */
export function grantToken(context: IdentityContext, user: StoredUser, type: MailedType, redirectTo: string) {
  const { profile } = user
  const now = context.now()
  const password = newOneTimePassword(profile.email)
  context.oneTimeTokens.replace(profile.id, mails[type].token, password.tokenHash, now)
  profile[mails[type].sentAt] = new Date(now).toISOString()
  if (type === 'invite') profile.invited_at = new Date(now).toISOString()
  saveUser(context, user)
  return { ...password, link: verificationLink(context, password.tokenHash, type, redirectTo) }
}

/**
 * Mails the user a new token of this type.
 *
 * @throws GoTrueError 429 `over_email_send_rate_limit` soon after the last mail of its type; invitations have no limit
 */
export function mailToken(context: IdentityContext, user: StoredUser, type: MailedType, redirectTo: string): void {
  const { profile } = user
  if (type !== 'invite') checkMailFrequency(context, profile[mails[type].sentAt])
  const { link, ...password } = grantToken(context, user, type, redirectTo)
  context.sendMail(mails[type].kind, profile.email, {
    ...valuesOf(context, user, password, redirectTo),
    ConfirmationURL: link
  })
}

/**
 * Mails a token to the new address and another to the current one. The address changes when both are confirmed.
 *
 * @throws GoTrueError 429 `over_email_send_rate_limit`
 */
export function mailEmailChange(
  context: IdentityContext,
  user: StoredUser,
  newEmail: string,
  redirectTo: string
): void {
  const { profile } = user
  checkMailFrequency(context, profile.email_change_sent_at)
  const now = context.now()
  profile.new_email = newEmail
  profile.email_change_sent_at = new Date(now).toISOString()
  user.isEmailChangeHalfConfirmed = false
  saveUser(context, user)
  for (const [kind, address] of [
    ['email_change_new', newEmail],
    ['email_change_current', profile.email]
  ] as const) {
    const password = newOneTimePassword(address)
    context.oneTimeTokens.replace(profile.id, kind, password.tokenHash, now)
    context.sendMail('email_change', address, {
      ...valuesOf(context, user, password, redirectTo),
      SendingTo: address,
      ConfirmationURL: verificationLink(context, password.tokenHash, 'email_change', redirectTo)
    })
  }
}

/** Builds GoTrue's link that verifies a token and redirects. */
export function verificationLink(
  { baseUrl }: IdentityContext,
  tokenHash: string,
  type: VerificationType,
  redirectTo: string
): string {
  return `${baseUrl()}/verify?token=${tokenHash}&type=${type}&redirect_to=${encodeURIComponent(redirectTo)}`
}

function checkMailFrequency({ settings, now }: IdentityContext, sentAt: string | undefined): void {
  if (sentAt === undefined) return
  const leftMs = Date.parse(sentAt) + settings.mailFrequencyMs - now()
  if (leftMs <= 0) return
  throw new GoTrueError(
    429,
    'over_email_send_rate_limit',
    `For security purposes, you can only request this after ${Math.floor(leftMs / 1000)} seconds.`
  )
}

function valuesOf(
  { settings }: IdentityContext,
  { profile }: StoredUser,
  password: OneTimePassword,
  redirectTo: string
): Omit<TemplateValues, 'ConfirmationURL'> {
  return {
    SiteURL: settings.siteUrl,
    Email: profile.email,
    NewEmail: profile.new_email ?? '',
    Token: password.code,
    TokenHash: password.tokenHash,
    RedirectTo: redirectTo,
    SendingTo: profile.email,
    Data: profile.user_metadata
  }
}
