import { setTimeout as delay } from 'node:timers/promises'
import type { Catalog } from '@tollgate/contracts/catalog/catalog.ts'
import type { RedisLink } from '@tollgate/state/link/redis-link.ts'
import type { CustomerRefresher } from '../billing/refresh-customer.ts'
import type { cookieAttributes } from '../callers/session-cookie.ts'
import type { Clock } from '../clocks/clock.ts'
import type { Database } from '../database/connect.ts'
import type { Limits } from '../http/limits.ts'
import type { Identity } from '../identity/identity.ts'
import type { Projector } from '../projection/projector.ts'
import type { Mailboxes } from '../signup/mailbox.ts'
import type { CountSignup, SignupPolicy } from '../signup/signup-policy.ts'
import type { SignupSettings } from '../signup/signup-settings.ts'
import type { PendingSignIns } from './provider-cookies.ts'
import type { Registrations } from './registration-cookie.ts'
import type { SecondFactorCodes } from './second-factor-codes.ts'
import type { CaptchaSettings } from './sign-in-settings.ts'
import type { WrongGuesses } from './wrong-guesses.ts'

/** The parts of control that the endpoints need. */
export interface AuthOptions {
  identity: Identity
  database: Database
  redis: RedisLink
  catalog: Catalog
  mailboxes: Mailboxes
  projector: Pick<Projector, 'accountChanged' | 'keyRevoked'>
  customerRefresher: Pick<CustomerRefresher, 'refresh'>
  clock: Clock
  minResponseTimes: MinResponseTimes
  limits: Limits
  signupPolicy: SignupPolicy
  /** See {@link SignupSettings}. */
  signup: Pick<SignupSettings, 'perNetworkDay' | 'perDay'>
  /** null: forms show no CAPTCHA. */
  captcha: CaptchaSettings | null
  /** Sign-in providers that the operator offers, such as `github`. */
  providers: readonly string[]
  /** A secret that all replicas have. */
  sharedSecret: string
  /** Characters of a new password. */
  minPasswordLength: number
  publicUrl: string
  serviceDomain: string
}

/** What all endpoints of `/api/auth` share. */
export interface AuthContext extends AuthOptions {
  cookie: ReturnType<typeof cookieAttributes>
  codes: SecondFactorCodes
  pendings: PendingSignIns
  registrations: Registrations
  guesses: WrongGuesses
  countSignup: CountSignup
}

/**
 * Minimum response times, so that an answer's duration does not tell whether an address is known. The provider hashes a
 * password, or sends a mail, only for some addresses.
 */
export interface MinResponseTimes {
  /** For a login with a wrong address or password. */
  readonly refusedLoginMs: number
  /** Also for other requests of a mail, if forms show a CAPTCHA. */
  readonly registerMs: number
}

/** Longer than a provider in the same region takes to hash a password, or to hand over a mail. */
export const defaultMinResponseTimes: MinResponseTimes = { refusedLoginMs: 500, registerMs: 1000 }

/** Starts the clock. @returns a function that resolves once `minMs` have passed since the start */
export function startMinResponseTime(minMs: number): () => Promise<void> {
  const started = performance.now()
  return async () => {
    const leftMs = minMs - (performance.now() - started)
    if (leftMs > 0) await delay(leftMs)
  }
}
