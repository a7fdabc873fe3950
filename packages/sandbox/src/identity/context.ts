import type { DatabaseSync } from 'node:sqlite'
import type { MailSender } from './mails.ts'
import { defaultPasswordCost } from './passwords.ts'
import type { OneTimeTokens, SignInFlows, SigningKey } from './token-store.ts'
import type { Sessions, Users } from './user-store.ts'

/** Everything that the endpoints share. */
export interface IdentityContext {
  readonly settings: IdentitySettings
  readonly database: DatabaseSync
  readonly users: Users
  readonly sessions: Sessions
  readonly oneTimeTokens: OneTimeTokens
  readonly signInFlows: SignInFlows
  readonly signingKey: SigningKey
  readonly sendMail: MailSender
  /** The server's URL with the path `/auth/v1`, known once it listens. */
  baseUrl(): string
  /** Unix milliseconds. */
  now(): number
}

/** The configuration of the project. The defaults of {@link completeSettings} are those of a local Supabase stack. */
export interface IdentitySettings {
  /** The URL of the application, without a slash at the end. Mails link to it, and redirects go there by default. */
  readonly siteUrl: string
  /** More redirect targets, as globs: `*` and `?` stop at `.` and `/`, `**` does not. */
  readonly redirectAllowList: readonly string[]
  readonly anonKey: string
  readonly serviceRoleKey: string
  /** The shortest time between two mails of one kind to a user. GoTrue's default is 60,000. */
  readonly mailFrequencyMs: number
  /** How long the code and link of a mail work. */
  readonly otpLifetimeMs: number
  readonly accessTokenLifetimeS: number
  /** How long older refresh tokens of a session still work after a refresh. */
  readonly refreshReuseIntervalMs: number
  readonly minimumPasswordLength: number
  /** Whether only administrators create users. */
  readonly isSignUpDisabled: boolean
  /** Whether a sign-up confirms the address at once, without a mail. */
  readonly isAutoconfirm: boolean
  /** Whether users sign up and in with an address and a password. */
  readonly isEmailEnabled: boolean
  /** Sign-in providers that are enabled, such as `github`. */
  readonly providers: readonly string[]
  /** Forms must send a token that begins with it: a CAPTCHA was solved. null: none is demanded. */
  readonly captchaSecret: string | null
  /** The cost of hashing a password: scrypt's N, a power of two. */
  readonly passwordCost: number
}

export type GivenSettings = Pick<IdentitySettings, 'siteUrl' | 'anonKey' | 'serviceRoleKey'> &
  Partial<Omit<IdentitySettings, 'siteUrl' | 'anonKey' | 'serviceRoleKey'>>

export function completeSettings(settings: GivenSettings): IdentitySettings {
  return {
    siteUrl: settings.siteUrl,
    anonKey: settings.anonKey,
    serviceRoleKey: settings.serviceRoleKey,
    redirectAllowList: settings.redirectAllowList ?? [],
    mailFrequencyMs: settings.mailFrequencyMs ?? 1_000,
    otpLifetimeMs: settings.otpLifetimeMs ?? 3_600_000,
    accessTokenLifetimeS: settings.accessTokenLifetimeS ?? 3_600,
    refreshReuseIntervalMs: settings.refreshReuseIntervalMs ?? 10_000,
    minimumPasswordLength: settings.minimumPasswordLength ?? 6,
    isSignUpDisabled: settings.isSignUpDisabled ?? false,
    isAutoconfirm: settings.isAutoconfirm ?? false,
    isEmailEnabled: settings.isEmailEnabled ?? true,
    providers: settings.providers ?? [],
    captchaSecret: settings.captchaSecret ?? null,
    passwordCost: settings.passwordCost ?? defaultPasswordCost
  }
}
