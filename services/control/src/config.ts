import { type Brand, brandVariables, checkBrandUrls, readBrand } from '@tollgate/service/brand/brand.ts'
import {
  checkDocsUrl,
  checkTrustProxy,
  logSettings,
  readDocsUrl,
  readTrustProxy
} from '@tollgate/service/config/common-settings.ts'
import { loadConfig } from '@tollgate/service/config/load-config.ts'
import { checkDatabaseUrl, checkUrlPassword } from '@tollgate/service/config/secret-files.ts'
import {
  checkLogExport,
  type LogExportSettings,
  logExportVariables,
  readLogExport
} from '@tollgate/service/log-export/log-sender.ts'
import { checkTraces, readTraces, type TraceSettings, traceVariables } from '@tollgate/service/tracing/tracing.ts'
import { workspaceFile } from '@tollgate/service/workspace.ts'
import { checkRedisUrl } from '@tollgate/state/link/redis-url.ts'
import { type Static, Type } from 'typebox'
import {
  type CaptchaSettings,
  captchaVariables,
  checkCaptcha,
  checkProviders,
  readCaptcha
} from './auth/sign-in-settings.ts'
import { hasPglite } from './database/open-pglite.ts'
import { checkMailFrom, checkSmtpUrl, readSmtp, type SmtpSettings } from './mail/smtp-settings.ts'
import type { Retention } from './retention/old-rows.ts'
import { checkSignupDomains, readSignup, type SignupSettings, signupVariables } from './signup/signup-settings.ts'
import { checkSiteTexts, readSite, siteVariables } from './site/site-settings.ts'
import type { SiteTexts } from './site/site-texts.ts'
import type { LedgerRetention } from './usage/fold-ledger.ts'
import {
  checkAllowedNetworks,
  checkSecretsKey,
  readWebhookSettings,
  type WebhookSettings
} from './webhooks/webhook-settings.ts'

const Port = (defaultPort: number) => Type.Integer({ minimum: 0, maximum: 65535, default: defaultPort })
/** @param where where to get a required variable */
const Text = (where: string) => Type.String({ minLength: 1, where })
/** What is sent as a header. With a space or a line break inside, the errors of the HTTP client would repeat it. */
const Key = (where: string) =>
  Type.String({ pattern: '^[!-~]+$', where, must: 'one line of ASCII characters, without spaces' })
const apiKeys = 'Copy it from supabase.com: your project, Project Settings, API Keys'

/** A package has no PGlite. */
const databaseUrlForms = `postgres://user:password@host:5432/database${hasPglite ? ', or pglite:<directory>' : ''}`

/** Every variable of control. */
export const ControlVariables = Type.Object({
  CONTROL_HOST: Type.String({ default: '127.0.0.1' }),
  CONTROL_PORT: Port(3000),
  CONTROL_MAX_CONNECTIONS: Type.Integer({ minimum: 1, default: 10_000 }),
  /** Address of `/livez`, `/readyz` and `/metrics`, for the operator's network only. */
  CONTROL_ADMIN_HOST: Type.String({ default: '127.0.0.1' }),
  CONTROL_ADMIN_PORT: Port(9091),
  /** Where browsers reach control: scheme, host and port. */
  PUBLIC_URL: Text('Set the address at which browsers reach control, such as https://app.example.com'),
  /** Where clients reach the gateway: scheme, host and port. The dashboard shows it, and calls it. */
  GATEWAY_PUBLIC_URL: Type.String({ default: 'http://localhost:8080' }),
  /** The session cookie and CORS hold for this domain and below it. The host of `PUBLIC_URL` unless given. */
  SERVICE_DOMAIN: Type.String({
    pattern: '^[a-z0-9.:\\[\\]-]*$',
    must: 'a host such as example.com, without https:// and in lower case',
    default: ''
  }),
  /**
   * Host names, separated by commas, that requests may name in `Host`. Empty: all, since a proxy may choose its own.
   */
  ALLOWED_HOSTS: Type.String({ default: '' }),
  /** Origins, separated by commas, that may call `/api` from browsers besides the subdomains of the service domain. */
  CORS_EXTRA_ORIGINS: Type.String({ default: '' }),
  SUPABASE_URL: Text('Copy it from supabase.com: your project, Project Settings, Data API'),
  SUPABASE_ANON_KEY: Key(`${apiKeys}, the publishable (anon) key`),
  SUPABASE_SERVICE_ROLE_KEY: Key(`${apiKeys}, the secret (service role) key`),
  /** `iss` of the project's tokens, if it is not `<SUPABASE_URL>/auth/v1`. */
  SUPABASE_JWT_ISSUER: Type.String({ default: '' }),
  /** Sign-in providers to offer, such as `github,google`, as Supabase names them. */
  AUTH_PROVIDERS: Type.String({ default: '' }),
  /** Characters of a new password, as the project at Supabase demands. Supabase Auth itself allows 72 bytes at most. */
  PASSWORD_MIN_LENGTH: Type.Integer({ minimum: 8, maximum: 64, default: 8 }),
  ...signupVariables,
  /**
   * Dollars that all free accounts together may spend in a day (UTC); 0: no limit. See free-spend/free-spend-limit.ts.
   */
  FREE_SPEND_USD_PER_DAY: Type.Number({ minimum: 0, maximum: 1_000_000, default: 0 }),
  ...captchaVariables,
  /**
   * Secrets that Supabase's database webhook on `auth.users` may present, separated by commas: several while one is
   * replaced. Without one there is no endpoint for it.
   */
  IDENTITY_WEBHOOK_SECRET: Type.String({ default: '' }),
  STRIPE_SECRET_KEY: Key('Copy it from dashboard.stripe.com/apikeys'),
  /** Signing secrets of the webhook endpoint, separated by commas: several while one is replaced. */
  STRIPE_WEBHOOK_SECRET: Text('Copy the signing secret from dashboard.stripe.com/webhooks'),
  /** Scheme, host and port of the payment provider's API. */
  STRIPE_API_BASE: Type.String({ default: 'https://api.stripe.com' }),
  /** `smtp://…` or `smtps://…`: the server that takes control's mails. Without one, control sends no mails. */
  SMTP_URL: Type.String({ default: '' }),
  /** Sender of control's mails. */
  MAIL_FROM: Type.String({ default: '' }),
  /**
   * Keys of 32 bytes in base64, separated by commas, that encrypt the signing secrets of webhooks: several while one is
   * replaced. Without one, nobody can create a webhook endpoint.
   */
  SECRETS_KEY: Type.String({ default: '' }),
  /** Networks, separated by commas, that webhooks may reach although they are not public. */
  WEBHOOK_ALLOWED_NETWORKS: Type.String({ default: '' }),
  // Longer than a delivery is tried.
  WEBHOOK_LOG_DAYS: Type.Integer({ minimum: 3, maximum: 36_500, default: 30 }),
  /** Addresses that get the mails for operators, separated by commas. Empty: every operator gets them. */
  OPERATOR_MAIL: Type.String({ default: '' }),
  /**
   * A page that shows all mails, for a trial without a mail server. Pages that ask people to check their mail link it.
   */
  DEMO_MAILBOX_URL: Type.String({ default: '' }),
  /** Whether operators must have a second factor for acts about money, and for those that cannot be undone. */
  OPERATORS_NEED_SECOND_FACTOR: Type.Enum(['true', 'false'], { default: 'true' }),
  /** Acts of operators about more than this need a second operator. Empty: none does. */
  OPERATOR_CONFIRM_ABOVE_USD: Type.String({
    pattern: '^([0-9]{1,7}(\\.[0-9]{1,9})?)?$',
    must: 'an amount in US dollars such as 500, or empty',
    default: ''
  }),
  ...brandVariables,
  ...siteVariables,
  /** `postgres://…`, `pglite:<directory>` or `pglite:memory`. */
  DATABASE_URL: Type.String({
    pattern: hasPglite ? '^(postgres(ql)?://|pglite:)..*$' : '^postgres(ql)?://..*$',
    where: `Set ${databaseUrlForms}`,
    must: databaseUrlForms
  }),
  DATABASE_POOL_SIZE: Type.Integer({ minimum: 1, maximum: 1000, default: 10 }),
  /** `true`: control migrates the database when it starts. `false`: `tollgate migrate` does. */
  AUTO_MIGRATE: Type.Enum(['true', 'false'], { default: 'true' }),
  /** See `parseRedisUrl`. */
  REDIS_URL: Type.String({ where: 'Set redis://[[user]:password@]host[:port]' }),
  CATALOG_FILE: Type.String({ default: workspaceFile('deploy/catalog.yaml') }),
  /** Whether a start also applies a file that another catalog has replaced. See catalog/publish-catalog.ts. */
  CATALOG_ON_START: Type.Enum(['publish-new', 'apply'], { default: 'publish-new' }),
  /** A build of the dashboard. */
  DASHBOARD_DIR: Type.String({
    default: workspaceFile('packages/dashboard/dist/current')
  }),
  /** Whose `X-Forwarded-For` is believed: `true`, `false`, or addresses and networks with commas. */
  TRUST_PROXY: Type.String({ default: 'false' }),
  /**
   * Seconds between two comparisons of all subscriptions with the payment provider, and two copies of its paid
   * invoices.
   */
  RECONCILE_INTERVAL: Type.Integer({ minimum: 60, maximum: 604_800, default: 3600 }),
  /**
   * Days that rows are kept: of the audit log, of revoked keys, of rotated secrets, and the content of former catalogs.
   */
  AUDIT_KEPT_DAYS: Type.Integer({ minimum: 1, maximum: 36_500, default: 400 }),
  // Revoked keys are listed for 30 days.
  DEAD_KEYS_KEPT_DAYS: Type.Integer({ minimum: 30, maximum: 36_500, default: 90 }),
  FORMER_SECRETS_KEPT_DAYS: Type.Integer({ minimum: 1, maximum: 36_500, default: 30 }),
  CATALOGS_KEPT_DAYS: Type.Integer({ minimum: 1, maximum: 36_500, default: 400 }),
  /**
   * Days that events are kept, and mails after they were sent. Events last longer than a month, so that none is told
   * twice.
   */
  EVENTS_KEPT_DAYS: Type.Integer({ minimum: 35, maximum: 36_500, default: 90 }),
  MAILS_KEPT_DAYS: Type.Integer({ minimum: 1, maximum: 36_500, default: 30 }),
  /** Days after which hours of the ledger are folded into days. Fewer than 3 could still be copied. */
  LEDGER_HOURS_DAYS: Type.Integer({ minimum: 3, maximum: 36_500, default: 400 }),
  /** Months of the ledger that are kept besides the present one; 0 for all. */
  LEDGER_KEPT_MONTHS: Type.Integer({ minimum: 0, maximum: 1200, default: 0 }),
  /** Past days of the request log that are kept besides the present one. */
  REQUEST_LOG_DAYS: Type.Integer({ minimum: 1, maximum: 400, default: 30 }),
  /**
   * Address of the operator's documentation: each error links to `<DOCS_URL>/errors/<code>`. Empty: to the pages of the
   * dashboard.
   */
  DOCS_URL: Type.String({ default: '' }),
  ...logSettings,
  ...traceVariables,
  ...logExportVariables
})
type Variables = Static<typeof ControlVariables>

export type ControlConfig = {
  readonly host: string
  readonly port: number
  /** Open connections; control closes further ones at once. */
  readonly maxConnections: number
  readonly admin: { readonly host: string; readonly port: number }
  /** An origin: no path, no slash at the end. */
  readonly publicUrl: string
  /** An origin, too. */
  readonly gatewayPublicUrl: string
  readonly serviceDomain: string
  /** Host names without ports, in lower case; empty: requests may name any. */
  readonly allowedHosts: readonly string[]
  readonly extraOrigins: readonly string[]
  readonly identity: {
    readonly url: string
    readonly anonKey: string
    readonly serviceRoleKey: string
    readonly issuer?: string
    /** Sign-in providers to offer, such as `github`. */
    readonly providers: readonly string[]
    /** Empty: there is no endpoint for the webhook. */
    readonly webhookSecrets: readonly string[]
  }
  /** Characters of a new password. */
  readonly minPasswordLength: number
  readonly signup: SignupSettings
  /** What all free accounts together may spend in a day, nanodollars; null: no limit. */
  readonly freeSpendNanos: bigint | null
  /** null: forms show no CAPTCHA. */
  readonly captcha: CaptchaSettings | null
  readonly payments: {
    readonly secretKey: string
    readonly webhookSecrets: readonly string[]
    /** An origin. */
    readonly apiBase: string
  }
  /** Null: control sends no mails. */
  readonly smtp: SmtpSettings | null
  readonly webhooks: WebhookSettings
  readonly brand: Brand
  /** The operator's texts of the public pages; null: there are no public pages. */
  readonly site: SiteTexts | null
  readonly operatorMail: readonly string[]
  readonly demoMailboxUrl: string | null
  readonly operatorsNeedSecondFactor: boolean
  /** Acts about more than this need a second operator; nanodollars. Null: none does. */
  readonly confirmAboveNanos: number | null
  readonly databaseUrl: string
  readonly databasePoolSize: number
  /** Whether control migrates the database when it starts. */
  readonly isMigrating: boolean
  readonly redisUrl: string
  readonly catalogFile: string
  readonly catalogOnStart: Variables['CATALOG_ON_START']
  readonly dashboardDir: string
  readonly trustProxy: boolean | string[]
  readonly reconcileIntervalMs: number
  readonly retention: Retention
  readonly ledger: LedgerRetention
  /** Past days of the request log to keep. */
  readonly requestLogDays: number
  /** Without a slash at its end: the operator's documentation, or the dashboard's. */
  readonly docsUrl: string | null
  readonly log: {
    readonly level: Variables['LOG_LEVEL']
    readonly format: Variables['LOG_FORMAT']
    /** Share of the successful requests that get a line. */
    readonly requests: number
  }
  /** null: requests are not traced. */
  readonly traces: TraceSettings | null
  /** null: receipts of requests are not exported. */
  readonly logExport: LogExportSettings | null
}

/** @throws ConfigError naming every bad variable */
export function loadControlConfig(env: Record<string, string | undefined>): ControlConfig {
  const variables = loadConfig(ControlVariables, env, rules)
  const publicUrl = new URL(variables.PUBLIC_URL)
  return Object.freeze({
    host: variables.CONTROL_HOST,
    port: variables.CONTROL_PORT,
    maxConnections: variables.CONTROL_MAX_CONNECTIONS,
    admin: { host: variables.CONTROL_ADMIN_HOST, port: variables.CONTROL_ADMIN_PORT },
    publicUrl: publicUrl.origin,
    gatewayPublicUrl: new URL(variables.GATEWAY_PUBLIC_URL).origin,
    serviceDomain: serviceDomain(variables),
    allowedHosts: list(variables.ALLOWED_HOSTS.toLowerCase()),
    extraOrigins: list(variables.CORS_EXTRA_ORIGINS),
    identity: {
      url: variables.SUPABASE_URL.replace(/\/+$/, ''),
      anonKey: variables.SUPABASE_ANON_KEY,
      serviceRoleKey: variables.SUPABASE_SERVICE_ROLE_KEY,
      ...(variables.SUPABASE_JWT_ISSUER !== '' && { issuer: variables.SUPABASE_JWT_ISSUER }),
      providers: list(variables.AUTH_PROVIDERS),
      webhookSecrets: list(variables.IDENTITY_WEBHOOK_SECRET)
    },
    minPasswordLength: variables.PASSWORD_MIN_LENGTH,
    signup: readSignup(variables, list),
    freeSpendNanos: freeSpendNanos(variables),
    captcha: readCaptcha(variables),
    payments: {
      secretKey: variables.STRIPE_SECRET_KEY,
      webhookSecrets: list(variables.STRIPE_WEBHOOK_SECRET),
      apiBase: variables.STRIPE_API_BASE.replace(/\/$/, '')
    },
    smtp: readSmtp(variables),
    webhooks: readWebhookSettings(variables, list),
    brand: readBrand(variables),
    site: readSite(variables),
    operatorMail: list(variables.OPERATOR_MAIL),
    demoMailboxUrl: variables.DEMO_MAILBOX_URL || null,
    operatorsNeedSecondFactor: variables.OPERATORS_NEED_SECOND_FACTOR === 'true',
    confirmAboveNanos:
      variables.OPERATOR_CONFIRM_ABOVE_USD === ''
        ? null
        : Math.round(Number(variables.OPERATOR_CONFIRM_ABOVE_USD) * 1e9),
    databaseUrl: variables.DATABASE_URL,
    databasePoolSize: variables.DATABASE_POOL_SIZE,
    isMigrating: variables.AUTO_MIGRATE === 'true',
    redisUrl: variables.REDIS_URL,
    catalogFile: variables.CATALOG_FILE,
    catalogOnStart: variables.CATALOG_ON_START,
    dashboardDir: variables.DASHBOARD_DIR,
    trustProxy: readTrustProxy(variables.TRUST_PROXY) ?? false,
    reconcileIntervalMs: variables.RECONCILE_INTERVAL * 1000,
    retention: {
      auditDays: variables.AUDIT_KEPT_DAYS,
      deadKeysDays: variables.DEAD_KEYS_KEPT_DAYS,
      formerSecretsDays: variables.FORMER_SECRETS_KEPT_DAYS,
      catalogsDays: variables.CATALOGS_KEPT_DAYS,
      webhookDays: variables.WEBHOOK_LOG_DAYS,
      eventsDays: variables.EVENTS_KEPT_DAYS,
      mailsDays: variables.MAILS_KEPT_DAYS
    },
    ledger: {
      hoursKeptDays: variables.LEDGER_HOURS_DAYS,
      monthsKept: variables.LEDGER_KEPT_MONTHS === 0 ? null : variables.LEDGER_KEPT_MONTHS
    },
    requestLogDays: variables.REQUEST_LOG_DAYS,
    docsUrl: readDocsUrl(variables.DOCS_URL) ?? `${publicUrl.origin}/docs`,
    log: { level: variables.LOG_LEVEL, format: variables.LOG_FORMAT, requests: variables.LOG_REQUESTS },
    traces: readTraces(variables),
    logExport: readLogExport(variables)
  })
}

const rules: ReadonlyArray<(variables: Variables) => string | null> = [
  ({ CONTROL_PORT, CONTROL_ADMIN_PORT }) =>
    CONTROL_PORT === CONTROL_ADMIN_PORT && CONTROL_PORT !== 0
      ? 'CONTROL_ADMIN_PORT: must differ from CONTROL_PORT. Clients must not reach the admin port'
      : null,
  ({ PUBLIC_URL }) => checkOrigin('PUBLIC_URL', PUBLIC_URL),
  ({ GATEWAY_PUBLIC_URL }) => checkOrigin('GATEWAY_PUBLIC_URL', GATEWAY_PUBLIC_URL),
  ({ SUPABASE_URL }) => (isHttpUrl(SUPABASE_URL) ? null : 'SUPABASE_URL: must be an http:// or https:// URL'),
  ({ AUTH_PROVIDERS }) => checkProviders(list(AUTH_PROVIDERS)),
  (variables) => checkSignupDomains(variables, list),
  checkCaptcha,
  ({ IDENTITY_WEBHOOK_SECRET }) =>
    list(IDENTITY_WEBHOOK_SECRET).every((secret) => /^[!-~]{16,}$/.test(secret))
      ? null
      : 'IDENTITY_WEBHOOK_SECRET: every entry must be at least 16 characters of ASCII, without spaces',
  ({ STRIPE_API_BASE }) =>
    isOrigin(STRIPE_API_BASE.replace(/\/$/, ''))
      ? null
      : 'STRIPE_API_BASE: must be http:// or https:// with a host and an optional port, without a path',
  // What is signed with a secret that anybody can guess is signed by anybody.
  ({ STRIPE_WEBHOOK_SECRET }) => {
    const secrets = list(STRIPE_WEBHOOK_SECRET)
    return secrets.length > 0 && secrets.every((secret) => /^\S{16,}$/.test(secret))
      ? null
      : 'STRIPE_WEBHOOK_SECRET: every entry must be a signing secret (whsec_…), without spaces inside'
  },
  (variables) => {
    const host = URL.canParse(variables.PUBLIC_URL) ? new URL(variables.PUBLIC_URL).hostname : null
    const domain = serviceDomain(variables)
    // A browser refuses a cookie for a domain that the page is not in.
    return host === null || host === domain || host.endsWith(`.${domain}`)
      ? null
      : 'SERVICE_DOMAIN: must be the host of PUBLIC_URL or a domain above it'
  },
  ({ ALLOWED_HOSTS }) =>
    list(ALLOWED_HOSTS).every((host) => /^([a-z0-9.-]+|\[[0-9a-f:.]+\])$/i.test(host))
      ? null
      : 'ALLOWED_HOSTS: every entry must be a host such as app.example.com, without https:// and port',
  ({ CORS_EXTRA_ORIGINS }) =>
    list(CORS_EXTRA_ORIGINS).every(isOrigin)
      ? null
      : 'CORS_EXTRA_ORIGINS: every entry must be an origin such as http://localhost:5173, without a path',
  checkSmtpUrl,
  checkMailFrom,
  (variables) => checkSecretsKey(variables, list),
  (variables) => checkAllowedNetworks(variables, list),
  checkBrandUrls,
  checkSiteTexts,
  ({ OPERATOR_MAIL }) =>
    list(OPERATOR_MAIL).every((address) => /^[^\s<>@]+@[^\s<>@]+$/.test(address))
      ? null
      : 'OPERATOR_MAIL: every entry must be an address such as ops@example.com',
  // Anybody who can open that page can confirm anybody's address.
  ({ DEMO_MAILBOX_URL }) =>
    DEMO_MAILBOX_URL === '' || (isHttpUrl(DEMO_MAILBOX_URL) && new URL(DEMO_MAILBOX_URL).hostname === 'localhost')
      ? null
      : 'DEMO_MAILBOX_URL: must be an address of this machine, such as http://localhost:4024',
  checkDatabaseUrl,
  (variables) => checkUrlPassword('REDIS_URL', variables.REDIS_URL) ?? checkRedisUrl(variables),
  checkTrustProxy,
  checkTraces,
  checkLogExport,
  checkDocsUrl
]

const checkOrigin = (name: string, url: string): string | null =>
  isOrigin(url.replace(/\/$/, ''))
    ? null
    : `${name}: must be http:// or https:// with a host and an optional port, without a path`

function serviceDomain({ SERVICE_DOMAIN, PUBLIC_URL }: Variables): string {
  if (SERVICE_DOMAIN !== '') return SERVICE_DOMAIN
  return URL.canParse(PUBLIC_URL) ? new URL(PUBLIC_URL).hostname : ''
}

function freeSpendNanos({ FREE_SPEND_USD_PER_DAY }: Variables): bigint | null {
  return FREE_SPEND_USD_PER_DAY === 0 ? null : BigInt(Math.round(FREE_SPEND_USD_PER_DAY * 1e9))
}

const list = (text: string): string[] =>
  text
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '')

const isHttpUrl = (text: string): boolean => URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)
const isOrigin = (text: string): boolean => isHttpUrl(text) && new URL(text).origin === text
