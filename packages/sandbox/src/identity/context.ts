import type { DatabaseSync } from 'node:sqlite'
import type { MailSender } from './mail/send-mail.ts'
import type { IdentitySettings } from './settings.ts'
import type { OneTimeTokens } from './store/one-time-tokens.ts'
import type { Sessions } from './store/sessions.ts'
import type { SignInFlows } from './store/sign-in-flows.ts'
import type { SigningKey } from './store/signing-key.ts'
import type { Users } from './store/users.ts'

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
