import type { Catalog } from '@tollgate/contracts/catalog/catalog.ts'
import type { RunningIdentity } from '@tollgate/sandbox/identity/start-identity.ts'
import type { Brand } from '@tollgate/service/brand/brand.ts'
import type { Tracing } from '@tollgate/service/tracing/tracing.ts'
import { workspaceFile } from '@tollgate/service/workspace.ts'
import type { MinResponseTimes } from '../auth/auth-context.ts'
import type { CaptchaSettings } from '../auth/sign-in-settings.ts'
import type { LiveUpstreams } from '../catalog/catalog-publisher.ts'
import type { ComposeOptions } from '../compose.ts'
import type { Limits } from '../http/limits.ts'
import { readSmtp } from '../mail/smtp-settings.ts'
import type { SignupSettings } from '../signup/signup-settings.ts'
import { noSiteTexts, type SiteTexts } from '../site/site-texts.ts'
import { readNetwork } from '../webhooks/addresses.ts'

export const anonKey = 'anon-key-of-the-tests'
export const serviceRoleKey = 'service-role-key-of-the-tests'
export const stripeKey = 'sk_test_keyOfTheTests'
/** Encrypts the secrets of webhooks. */
export const testSealKey = Buffer.alloc(32, 7)
export const captchaSecret = 'captcha-secret-of-the-tests'
export const webhookSecret = 'whsec_secretOfTheTests'

/** Long, so that a busy machine does not exceed it by accident. */
export const longTimeoutMs = 30_000
/** Nothing listens on the discard protocol's port. */
const unusedUrl = 'http://127.0.0.1:9'
export const repositoryCatalog = workspaceFile('deploy/catalog.yaml')

export interface StartControlOptions {
  tracing?: Tracing
  /** An empty database, or the one of an earlier start. Default: a new one. */
  databaseUrl?: string
  /** Whether the database has all migrations already. Default: no. */
  isMigrated?: boolean
  /** Default: a new Redis. */
  redisUrl?: string
  /** Default: the sandbox's identity server. With another URL nobody can sign in. */
  identityUrl?: string
  /** With this secret, the identity server reports changes of users to control. Default: no reports. */
  identityWebhookSecret?: string
  /** Control accepts this secret, too. */
  nextIdentityWebhookSecret?: string
  /** The address of a payments server, for tests of billing. Default: none, so requests that need it get 503. */
  paymentsUrl?: string
  /** Default: {@link webhookSecret} alone. */
  webhookSecrets?: string[]
  /** Connections to PostgreSQL. */
  poolSize?: number
  /** Timeouts. The defaults are long, so that a busy machine does not exceed them by accident. */
  identityTimeoutMs?: number
  paymentsTimeoutMs?: number
  requestTimeoutMs?: number
  /** Within which requests must arrive. */
  arrival?: { headersTimeoutMs: number; requestTimeoutMs: number }
  maxConnections?: number
  redisSilenceTimeoutMs?: number
  /** How long a change waits for Redis: see `ProjectorOptions`. The default is long, too. */
  acknowledgeTimeoutMs?: number
  publicUrl?: string
  serviceDomain?: string
  /** Default: no dashboard. */
  dashboardDir?: string
  extraOrigins?: string[]
  /** Default: none, so that every host is served. */
  allowedHosts?: string[]
  trustProxy?: boolean | string[]
  docsUrl?: string
  /** Share of successful requests with a line in the log. Default: 1. */
  logRequests?: number
  /** Default: the identity server's mailbox. Empty: control sends no mails. */
  smtpUrl?: string
  /** Default: no addresses, so that every operator gets the mails for operators. */
  operatorMail?: string[]
  /** Default: no, so that most tests need no second factor. */
  operatorsNeedSecondFactor?: boolean
  /** Default: no act of an operator needs a second one. */
  confirmAboveNanos?: number
  brand?: Partial<Brand>
  /** Texts of the public pages; null: no public pages. Default: the default texts. Needs a dashboard. */
  site?: SiteTexts | null
  /** Of the identity server. The default is low, since tests sign in often. */
  passwordCost?: number
  /** Of the identity server, in characters. Default: 6. */
  minimumPasswordLength?: number
  /** Clock of the identity server, Unix milliseconds. Default: the system's. */
  identityNow?: () => number
  /** Of control, in characters. Default: 8. */
  minPasswordLength?: number
  /** Default: anybody may register, as often as they want. */
  signup?: Partial<SignupSettings>
  /** Default: free accounts have no limit together. */
  freeSpendNanos?: bigint
  /** The identity server then demands tokens that begin with {@link captchaSecret}. Default: forms show no CAPTCHA. */
  captcha?: CaptchaSettings
  /** Sign-in providers, for control and the identity server. Default: none. */
  providers?: readonly string[]
  /** Default: none, so that refusals are fast. */
  minResponseTimes?: MinResponseTimes
  /** The defaults are so high that no test exceeds them by accident. */
  limits?: Partial<Limits>
  /** It is published at the start. Default: the repository's. */
  catalog?: Catalog
  /** Published instead, by the rules for files. The times are those between checks of the file. */
  catalogFile?: { path: string; mode?: 'publish-new' | 'apply'; intervalMs?: number; settleMs?: number }
  /** Keys that encrypt the secrets of webhooks. Default: one. */
  secretKeys?: readonly Buffer[]
  /** What the gateways have. Default: no gateway is known. */
  liveUpstreams?: LiveUpstreams
  /**
   * Whether the projection loop runs, and control follows catalogs of other replicas. Without it, only single changes
   * reach Redis. Default: no.
   */
  isProjecting?: boolean
}

/** The configuration that control gets. */
export function configOf(
  options: StartControlOptions,
  publicUrl: string,
  identity: RunningIdentity
): ComposeOptions['config'] {
  const identityWebhookSecret = options.identityWebhookSecret ?? null
  return {
    publicUrl,
    gatewayPublicUrl: 'http://localhost:8080',
    dashboardDir: options.dashboardDir ?? '/nonexistent',
    serviceDomain: options.serviceDomain ?? new URL(publicUrl).hostname,
    extraOrigins: options.extraOrigins ?? [],
    allowedHosts: options.allowedHosts ?? [],
    trustProxy: options.trustProxy ?? false,
    maxConnections: options.maxConnections ?? 10_000,
    identity: {
      url: options.identityUrl ?? identity.url,
      anonKey,
      serviceRoleKey,
      providers: options.providers ?? [],
      webhookSecrets: [identityWebhookSecret, options.nextIdentityWebhookSecret].filter((one) => one != null),
      timeoutMs: options.identityTimeoutMs ?? longTimeoutMs
    },
    payments: {
      secretKey: stripeKey,
      webhookSecrets: options.webhookSecrets ?? [webhookSecret],
      apiBase: options.paymentsUrl ?? unusedUrl,
      timeoutMs: options.paymentsTimeoutMs ?? longTimeoutMs
    },
    minPasswordLength: options.minPasswordLength ?? 8,
    signup: {
      mode: 'open',
      allowedDomains: [],
      blockedDomains: [],
      acceptsThrowaway: false,
      perNetworkDay: 1e6,
      perDay: 1e6,
      ...options.signup
    },
    freeSpendNanos: options.freeSpendNanos ?? null,
    captcha: options.captcha ?? null,
    demoMailboxUrl: null,
    reconcileIntervalMs: 3_600_000,
    smtp: readSmtp({
      SMTP_URL: options.smtpUrl ?? identity.smtpUrl,
      MAIL_FROM: 'Tollgate <no-reply@tollgate.test>'
    }),
    webhooks: { secretKeys: options.secretKeys ?? [testSealKey], allowedNetworks: [readNetwork('127.0.0.1/32')!] },
    retention: {
      auditDays: 365,
      deadKeysDays: 365,
      formerSecretsDays: 365,
      catalogsDays: 365,
      eventsDays: 365,
      mailsDays: 365,
      webhookDays: 30
    },
    brand: { ...plainBrand, ...options.brand },
    site: options.site === undefined ? noSiteTexts : options.site,
    operatorMail: options.operatorMail ?? [],
    operatorsNeedSecondFactor: options.operatorsNeedSecondFactor ?? false,
    confirmAboveNanos: options.confirmAboveNanos ?? null,
    ledger: { hoursKeptDays: 90, monthsKept: null },
    requestLogDays: 30,
    catalogFile: options.catalogFile?.path ?? repositoryCatalog,
    catalogOnStart: options.catalogFile?.mode ?? 'publish-new',
    docsUrl: options.docsUrl ?? null,
    log: { level: 'trace', format: 'json', requests: options.logRequests ?? 1 }
  }
}

/** Control's times, limits and sizes. */
export function timesOf(options: StartControlOptions) {
  return {
    limits: { ...noLimits, ...options.limits },
    minResponseTimes: options.minResponseTimes ?? { refusedLoginMs: 0, registerMs: 0 },
    requestTimeoutMs: options.requestTimeoutMs ?? 2 * longTimeoutMs,
    arrival: options.arrival ?? { headersTimeoutMs: longTimeoutMs, requestTimeoutMs: longTimeoutMs },
    acknowledgeTimeoutMs: options.acknowledgeTimeoutMs ?? longTimeoutMs,
    sweep: { pageSize: 3, pauseMs: 0 },
    // Tests check spend when they want.
    checkDelays: { budget: 0, hour: 0, forecast: 0 },
    catalogFile: {
      intervalMs: options.catalogFile?.intervalMs ?? 3_600_000,
      settleMs: options.catalogFile?.settleMs ?? 0
    },
    ...(options.liveUpstreams !== undefined && { liveUpstreams: options.liveUpstreams })
  } satisfies Partial<ComposeOptions>
}

export const plainBrand: Brand = {
  name: 'Tollgate',
  logoUrl: null,
  color: '#007565',
  supportUrl: null,
  legalUrl: null,
  salesUrl: null
}

/** So high that no test exceeds them by accident. */
const noLimits: Limits = {
  write: 1e6,
  writesPerDay: 1e6,
  writeByServer: 1e6,
  read: 1e6,
  login: 1e6,
  register: 1e6,
  providerSignIn: 1e6,
  confirm: 1e6,
  secondFactor: 1e6,
  codesPerHour: 1e6,
  forgotPassword: 1e6,
  resendConfirmation: 1e6,
  resetPassword: 1e6,
  changePassword: 1e6,
  wrongGuessesPerDay: 1e6,
  reauthenticate: 1e6,
  changeUser: 1e6,
  playgroundToken: 1e6,
  exportData: 1e6,
  exportRequests: 1e6,
  exportAudit: 1e6,
  invite: 1e6,
  readInvitation: 1e6,
  acceptInvitation: 1e6,
  readStatus: 1e6,
  changeWebhooks: 1e6,
  webhookTestsPerDay: 1e6,
  mailsPerHour: 1e6,
  confirmationsPerDay: 1e6,
  recoveriesPerDay: 1e6,
  invitationsPerDay: 1e6,
  billing: 1e6
}
