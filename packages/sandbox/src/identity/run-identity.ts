import { join } from 'node:path'
import { brandVariables, checkBrandUrls, readBrand } from '@tollgate/service/brand/brand.ts'
import { loadConfig } from '@tollgate/service/config/load-config.ts'
import Type from 'typebox'
import { PortTakenError } from '../free-port.ts'
import { refuseProduction, runProgram } from '../run-program.ts'
import { type IdentityOptions, startIdentity } from './start-identity.ts'

const Port = (port: number) => Type.Integer({ minimum: 1, maximum: 65_535, default: port })

const Config = Type.Object({
  SANDBOX_IDENTITY_PORT: Port(4021),
  /** The port of the mailbox: a page with the sent mails, and Mailpit's API. */
  SANDBOX_MAILBOX_PORT: Port(4024),
  /** The port of the mail server that fills the mailbox. */
  SANDBOX_SMTP_PORT: Port(4026),
  /** The folder `identity` of this directory stores users, sessions and mails. */
  TOLLGATE_DATA_DIR: Type.String({ default: '.tollgate' }),
  /** The URL of the application. Mails link to it. */
  PUBLIC_URL: Type.String({ pattern: '^https?://', default: 'http://localhost:3000' }),
  /** The project's publishable key. */
  SUPABASE_ANON_KEY: Type.String({ minLength: 1 }),
  /** The project's secret key. */
  SUPABASE_SERVICE_ROLE_KEY: Type.String({ minLength: 1 }),
  /** The secret of the webhook that reports changes of users. Without one, nothing is reported. */
  IDENTITY_WEBHOOK_SECRET: Type.String({ default: '' }),
  /** The URL of that webhook. */
  SANDBOX_IDENTITY_WEBHOOK_URL: Type.String({ pattern: '^(https?://.*)?$', default: '' }),
  /** Sign-in providers that this server stands in for, separated by commas. */
  AUTH_PROVIDERS: Type.String({ default: '' }),
  ...brandVariables,
  /** `tollgate`: Tollgate's mails, in the look of the brand. `stock`: those of a new Supabase project. */
  SANDBOX_MAIL_TEMPLATES: Type.Union([Type.Literal('tollgate'), Type.Literal('stock')], { default: 'tollgate' }),
  /** Forms must send a CAPTCHA token that begins with it. Empty: none is demanded. */
  SANDBOX_CAPTCHA_SECRET: Type.String({ default: '' })
})

await runProgram('SANDBOX_IDENTITY_PORT', async () => {
  const options = readIdentityConfig()
  try {
    const { url, mailboxUrl, close } = await startIdentity({ ...options, isLogging: true })
    return { readyLine: `identity is ready at ${url}; its mailbox is at ${mailboxUrl}`, stop: close }
  } catch (error) {
    for (const [port, variable] of [
      [options.mailboxPort, 'SANDBOX_MAILBOX_PORT'],
      [options.smtpPort, 'SANDBOX_SMTP_PORT']
    ] as const) {
      if (!(error instanceof PortTakenError) || error.port !== port) continue
      throw new Error(new PortTakenError(port, variable).message, { cause: error })
    }
    throw error
  }
})

/** @throws ConfigError, or Error with `NODE_ENV=production` */
function loadIdentityConfig(env: Record<string, string | undefined>): IdentityOptions {
  refuseProduction(env)
  const config = loadConfig(Config, env, [
    ({ SUPABASE_ANON_KEY, SUPABASE_SERVICE_ROLE_KEY }) =>
      SUPABASE_ANON_KEY === SUPABASE_SERVICE_ROLE_KEY
        ? 'SUPABASE_SERVICE_ROLE_KEY: must differ from SUPABASE_ANON_KEY'
        : null,
    checkBrandUrls
  ])
  const siteUrl = config.PUBLIC_URL.replace(/\/+$/, '')
  const webhookUrl = config.SANDBOX_IDENTITY_WEBHOOK_URL || `${siteUrl}/api/auth/webhook`
  const secret = config.IDENTITY_WEBHOOK_SECRET
  return {
    port: config.SANDBOX_IDENTITY_PORT,
    mailboxPort: config.SANDBOX_MAILBOX_PORT,
    smtpPort: config.SANDBOX_SMTP_PORT,
    siteUrl,
    anonKey: config.SUPABASE_ANON_KEY,
    serviceRoleKey: config.SUPABASE_SERVICE_ROLE_KEY,
    dataDir: join(config.TOLLGATE_DATA_DIR, 'identity'),
    userWebhook: secret === '' ? null : { url: () => webhookUrl, secret },
    providers: config.AUTH_PROVIDERS.split(',')
      .map((provider) => provider.trim())
      .filter((provider) => provider !== ''),
    captchaSecret: config.SANDBOX_CAPTCHA_SECRET === '' ? null : config.SANDBOX_CAPTCHA_SECRET,
    templates: config.SANDBOX_MAIL_TEMPLATES,
    brand: readBrand(config)
  }
}

/** Reads the configuration of this process. */
function readIdentityConfig(): IdentityOptions {
  return loadIdentityConfig(process.env)
}
