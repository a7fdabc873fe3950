import type { Catalog } from '@tollgate/contracts/catalog/catalog.ts'
import type { RedisLink } from '@tollgate/state/link/redis-link.ts'
import type { CustomerRefresher } from '../billing/refresh-customer.ts'
import type { cookieAttributes } from '../callers/session-cookie.ts'
import type { Clock } from '../clocks/clock.ts'
import type { Database } from '../database/connect.ts'
import type { Limits } from '../http/limits.ts'
import type { Identity } from '../identity/identity.ts'
import type { Mailboxes } from '../mailboxes/mailbox.ts'
import type { Projector } from '../projection/projector.ts'
import type { CountSignup } from '../signup/signup-limit.ts'
import type { SignupPolicy } from '../signup/signup-policy.ts'
import type { SignupSettings } from '../signup/signup-settings.ts'
import type { CaptchaSettings } from './captcha-settings.ts'
import type { MinResponseTimes } from './min-response-time.ts'
import type { PendingSignIns } from './pending-sign-in.ts'
import type { SecondFactorCodes } from './second-factor-codes.ts'
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
  guesses: WrongGuesses
  countSignup: CountSignup
}
