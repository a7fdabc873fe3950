import { usualPasswordCost } from './accounts/password-hash.ts'

/** How the project is configured. The defaults of {@link completeSettings} are those of a local Supabase stack. */
export interface IdentitySettings {
  /** The address of the application: where mails link to and where redirects go by default. No slash at the end. */
  readonly siteUrl: string
  /** Further redirect targets, as globs: `*` and `?` stop at `.` and `/`, `**` does not. */
  readonly redirectAllowList: readonly string[]
  readonly anonKey: string
  readonly serviceRoleKey: string
  /** The shortest time between two mails of a kind to one user. GoTrue itself has 60,000. */
  readonly mailFrequencyMs: number
  /** How long the code or link of a mail works. */
  readonly otpLifetimeMs: number
  readonly accessTokenLifetimeS: number
  /** For how long after a refresh older refresh tokens of the session still work. */
  readonly refreshReuseIntervalMs: number
  readonly minimumPasswordLength: number
  /** What hashing a password costs: scrypt's N, a power of two. */
  readonly passwordCost: number
}

export type GivenSettings = Pick<IdentitySettings, 'siteUrl' | 'anonKey' | 'serviceRoleKey'> &
  Partial<Omit<IdentitySettings, 'siteUrl' | 'anonKey' | 'serviceRoleKey'>>

export function completeSettings(given: GivenSettings): IdentitySettings {
  return {
    siteUrl: given.siteUrl,
    anonKey: given.anonKey,
    serviceRoleKey: given.serviceRoleKey,
    redirectAllowList: given.redirectAllowList ?? [],
    mailFrequencyMs: given.mailFrequencyMs ?? 1_000,
    otpLifetimeMs: given.otpLifetimeMs ?? 3_600_000,
    accessTokenLifetimeS: given.accessTokenLifetimeS ?? 3_600,
    refreshReuseIntervalMs: given.refreshReuseIntervalMs ?? 10_000,
    minimumPasswordLength: given.minimumPasswordLength ?? 6,
    passwordCost: given.passwordCost ?? usualPasswordCost
  }
}
