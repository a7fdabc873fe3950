import { join } from 'node:path'
import { loadConfig } from '@tollgate/service/config/load-config.ts'
import Type from 'typebox'
import { refuseProduction } from '../refuse-production.ts'
import type { IdentityOptions } from './start-identity.ts'

const Port = (port: number) => Type.Integer({ minimum: 1, maximum: 65_535, default: port })

const Config = Type.Object({
  SANDBOX_IDENTITY_PORT: Port(4021),
  /** The page with the mails that were sent, and Mailpit's API. */
  SANDBOX_MAILBOX_PORT: Port(4024),
  /** Users, sessions and mails are kept in the folder `identity` of this directory. */
  TOLLGATE_DATA_DIR: Type.String({ default: '.tollgate' }),
  /** The address of the application: where mails link to. */
  PUBLIC_URL: Type.String({ pattern: '^https?://', default: 'http://localhost:3000' }),
  /** The project's publishable key. */
  SUPABASE_ANON_KEY: Type.String({ minLength: 1 }),
  /** The project's secret key. */
  SUPABASE_SERVICE_ROLE_KEY: Type.String({ minLength: 1 }),
  /** What reports of changes of users carry. Without one, nothing is reported. */
  IDENTITY_WEBHOOK_SECRET: Type.String({ default: '' }),
  /** Where they go. */
  SANDBOX_IDENTITY_WEBHOOK_URL: Type.String({ pattern: '^(https?://.*)?$', default: '' }),
  /** `tollgate`: the mails of deploy/supabase. `stock`: those of a Supabase project that nobody configured. */
  SANDBOX_MAIL_TEMPLATES: Type.Union([Type.Literal('tollgate'), Type.Literal('stock')], { default: 'tollgate' })
})

/** @throws ConfigError, or Error with `NODE_ENV=production` */
export function loadIdentityConfig(env: Record<string, string | undefined>): IdentityOptions {
  refuseProduction(env)
  const config = loadConfig(Config, env, [
    ({ SUPABASE_ANON_KEY, SUPABASE_SERVICE_ROLE_KEY }) =>
      SUPABASE_ANON_KEY === SUPABASE_SERVICE_ROLE_KEY
        ? 'SUPABASE_SERVICE_ROLE_KEY: the same as SUPABASE_ANON_KEY'
        : null
  ])
  const siteUrl = config.PUBLIC_URL.replace(/\/+$/, '')
  const webhookUrl = config.SANDBOX_IDENTITY_WEBHOOK_URL || `${siteUrl}/api/auth/webhook`
  const secret = config.IDENTITY_WEBHOOK_SECRET
  return {
    port: config.SANDBOX_IDENTITY_PORT,
    mailboxPort: config.SANDBOX_MAILBOX_PORT,
    siteUrl,
    anonKey: config.SUPABASE_ANON_KEY,
    serviceRoleKey: config.SUPABASE_SERVICE_ROLE_KEY,
    dataDir: join(config.TOLLGATE_DATA_DIR, 'identity'),
    userWebhook: secret === '' ? null : { url: () => webhookUrl, secret },
    templates: config.SANDBOX_MAIL_TEMPLATES
  }
}

/** The configuration of this process. */
export function readIdentityConfig(): IdentityOptions {
  return loadIdentityConfig(process.env)
}
