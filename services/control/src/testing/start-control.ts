import { randomUUID } from 'node:crypto'
import { createClient } from '@supabase/supabase-js'
import type { Catalog } from '@tollgate/contracts/catalog/catalog.ts'
import { type RunningIdentity, startIdentity } from '@tollgate/sandbox/identity/start-identity.ts'
import { latestMail, linkIn } from '@tollgate/sandbox/mailbox/read-mail.ts'
import type { RunningRedis } from '@tollgate/sandbox/redis/running-redis.ts'
import { startRedis } from '@tollgate/sandbox/redis/start-redis.ts'
import { loadCatalogFile } from '@tollgate/service/catalog/catalog-file.ts'
import { createAdminServer } from '@tollgate/service/http/admin-server.ts'
import type { Tracing } from '@tollgate/service/tracing/tracing.ts'
import { workspaceFile } from '@tollgate/service/workspace.ts'
import { connectServer } from '@tollgate/state/link/connect-redis.ts'
import type { RedisNode } from '@tollgate/state/link/redis-link.ts'
import type { Heartbeat } from '@tollgate/state/processes/create-heartbeat.ts'
import type { FastifyInstance, InjectOptions } from 'fastify'
import type { createOverrideEnder } from '../accounts/end-overrides.ts'
import type { MinResponseTimes } from '../auth/min-response-time.ts'
import type { CustomerRefresher } from '../billing/refresh-customer.ts'
import type { DueCustomersLoop } from '../billing/refresh-due-customers.ts'
import type { InvoiceSweeper } from '../billing/sweep-invoices.ts'
import type { SubscriptionSweeper } from '../billing/sweep-subscriptions.ts'
import { sessionCookie } from '../callers/session-cookie.ts'
import type { LiveUpstreams } from '../catalog/catalog-publisher.ts'
import type { CatalogFollower } from '../catalog/follow-catalog-file.ts'
import { contentOf } from '../catalog/publish-catalog.ts'
import { composeControl } from '../compose.ts'
import { type Database, openDatabase } from '../database/connect.ts'
import type { Limits } from '../http/limits.ts'
import { createLog } from '../http/log.ts'
import { controlReadiness } from '../http/readiness.ts'
import { readSmtp } from '../mail/smtp-settings.ts'
import { createControlMetrics } from '../metrics/control-metrics.ts'
import type { Projector } from '../projection/projector.ts'
import type { DueUsers } from '../users/due-users.ts'
import type { PlanWriter } from '../users/plan-writer.ts'
import type { Sweeper } from '../users/sweep-users.ts'
import { checkAgainstDocument, type DocumentCheck } from './check-against-document.ts'
import { openMigratedDatabase } from './databases.ts'

export const anonKey = 'anon-key-of-the-tests'
export const serviceRoleKey = 'service-role-key-of-the-tests'
export const stripeKey = 'sk_test_keyOfTheTests'
export const webhookSecret = 'whsec_secretOfTheTests'

export interface StartControlOptions {
  tracing?: Tracing
  /** An empty database, or the one of an earlier start. Default: `pglite:memory`. */
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
  /** Four timeouts. The defaults are long, so that a busy machine does not exceed them by accident. */
  identityTimeoutMs?: number
  paymentsTimeoutMs?: number
  requestTimeoutMs?: number
  redisSilenceTimeoutMs?: number
  /** How long a change waits for Redis: see `ProjectorOptions`. The default is long, too. */
  acknowledgeTimeoutMs?: number
  publicUrl?: string
  serviceDomain?: string
  /** Default: no dashboard. */
  dashboardDir?: string
  extraOrigins?: string[]
  trustProxy?: boolean | string[]
  docsUrl?: string
  /** Share of successful requests with a line in the log. Default: 1. */
  logRequests?: number
  /** Default: the identity server's mailbox. Empty: control sends no mails. */
  smtpUrl?: string
  /** Of the identity server. The default is low, since tests sign in often. */
  passwordCost?: number
  /** Of the identity server, in characters. Default: 6. */
  minimumPasswordLength?: number
  /** Clock of the identity server, Unix milliseconds. Default: the system's. */
  identityNow?: () => number
  /** Default: none, so that refusals are fast. */
  minResponseTimes?: MinResponseTimes
  /** The defaults are so high that no test exceeds them by accident. */
  limits?: Partial<Limits>
  /** It is published at the start. Default: the repository's. */
  catalog?: Catalog
  /** Published instead, by the rules for files. The times are those between checks of the file. */
  catalogFile?: { path: string; mode?: 'publish-new' | 'apply'; intervalMs?: number; settleMs?: number }
  /** What the gateways have. Default: no gateway is known. */
  liveUpstreams?: LiveUpstreams
  /**
   * Whether the projection loop runs, and control follows catalogs of other replicas. Without it, only single changes reach
   * Redis. Default: no.
   */
  isProjecting?: boolean
}

export interface TestUser {
  id: string
  email: string
  password: string
  name: string
  cookie: string
}

export interface Answer {
  status: number
  headers: Record<string, string | string[] | number | undefined>
  /** Parsed JSON, or the text of another type. */
  body: unknown
  /** Every `Set-Cookie`. */
  cookies: string[]
}

/** The code of a failed answer. */
export const codeOf = ({ body }: Answer): string => (body as { error: { code: string } }).error.code

export interface CallOptions {
  body?: unknown
  cookie?: string
  origin?: string
  headers?: Record<string, string>
}

export interface RunningControl {
  /** `http://127.0.0.1:<port>` */
  url: string
  /** The address of its admin port. */
  adminUrl: string
  app: FastifyInstance
  database: Database
  redis: RedisNode
  projector: Projector
  /** Its loop does not run: tests call it. */
  sweeper: Sweeper
  /** Its loop does not run: tests call it. */
  planWriter: PlanWriter
  /** Its loop does not run. */
  dueUsers: DueUsers
  customerRefresher: CustomerRefresher
  /** Its loop does not run. */
  dueCustomers: DueCustomersLoop
  /** Its loop does not run. */
  subscriptionSweeper: SubscriptionSweeper
  /** Its loop does not run: tests call it. */
  overrideEnder: ReturnType<typeof createOverrideEnder>
  /** It does not run: tests call it. */
  heartbeat: Heartbeat
  /** The one it was started with. */
  /** Its loop does not run. */
  invoiceSweeper: InvoiceSweeper
  catalog: Catalog
  catalogFile: CatalogFollower
  identity: RunningIdentity
  /** Compares all answers so far with the OpenAPI document. */
  document: DocumentCheck
  /** All log lines, as JSON. */
  logged: string[]
  /** Moves control's clock forward: that of sessions, not that of Redis or of timers. */
  passTime(ms: number): void
  /** The time of control's clock. */
  now(): Date
  /** Sends a request to `/path`; a body is sent as JSON. */
  call(method: NonNullable<InjectOptions['method']>, path: string, options?: CallOptions): Promise<Answer>
  /** Path and query of the confirmation link that was mailed to an address. */
  confirmationLink(email: string): Promise<string>
  /** Opens that link and enters the password. */
  confirm(user: Pick<TestUser, 'email' | 'password'>, options?: CallOptions & { set?: boolean }): Promise<Answer>
  /** Creates a user with a confirmed address, as an operator does at the identity provider. @returns the id */
  createByOperator(user: Pick<TestUser, 'email' | 'password'>): Promise<string>
  /** Registers, confirms and signs in a user; `cookie` is the session. */
  signUp(options?: { plan?: string; name?: string }): Promise<TestUser>
  /** Signs up an operator. */
  signUpOperator(): Promise<TestUser>
  /** Signs in again. @returns the cookie */
  signIn(user: Pick<TestUser, 'email' | 'password'>): Promise<string>
  /** Writes `app_metadata.plan`, as an operator does. It applies from the next sign-in on. */
  setPlan(userId: string, plan: unknown): Promise<void>
  /** @throws Error if an answer differed from the OpenAPI document */
  close(): Promise<void>
}

/** Starts control on a free port of 127.0.0.1, with everything that it needs. */
export async function startControl(options: StartControlOptions = {}): Promise<RunningControl> {
  const publicUrl = options.publicUrl ?? 'http://localhost:3000'
  const ownRedis = options.redisUrl === undefined ? await startRedis({ port: 0 }) : null
  const identityWebhookSecret = options.identityWebhookSecret ?? null
  let url = ''
  const identity = await startIdentity({
    port: 0,
    mailboxPort: 0,
    siteUrl: publicUrl,
    anonKey,
    serviceRoleKey,
    passwordCost: options.passwordCost ?? lowPasswordCost,
    ...(options.minimumPasswordLength !== undefined && { minimumPasswordLength: options.minimumPasswordLength }),
    ...(options.identityNow !== undefined && { now: options.identityNow }),
    userWebhook:
      identityWebhookSecret === null ? null : { url: () => `${url}/api/auth/webhook`, secret: identityWebhookSecret }
  })
  const catalog = options.catalog ?? loadCatalogFile(repositoryCatalog)
  const logged: string[] = []
  const log = createLog('trace', { write: (line) => void logged.push(line) })
  const { databaseUrl = 'pglite:memory', isMigrated = false, poolSize } = options
  const database = await (isMigrated
    ? openDatabase(databaseUrl, { ...(poolSize !== undefined && { poolSize }) })
    : openMigratedDatabase(databaseUrl, poolSize))
  const redis = connectServer(options.redisUrl ?? (ownRedis as RunningRedis).url, {
    name: 'control-test',
    silenceTimeoutMs: options.redisSilenceTimeoutMs ?? longTimeoutMs,
    onError: (err) => log.debug({ err }, 'redis')
  })
  await redis.ready()
  const metrics = createControlMetrics()
  let movedMs = 0
  const clock = () => new Date(Date.now() + movedMs)
  const composed = composeControl({
    config: {
      publicUrl,
      gatewayPublicUrl: 'http://localhost:8080',
      dashboardDir: options.dashboardDir ?? '/nonexistent',
      serviceDomain: options.serviceDomain ?? new URL(publicUrl).hostname,
      extraOrigins: options.extraOrigins ?? [],
      trustProxy: options.trustProxy ?? false,
      identity: {
        url: options.identityUrl ?? identity.url,
        anonKey,
        serviceRoleKey,
        webhookSecrets: [identityWebhookSecret, options.nextIdentityWebhookSecret].filter((one) => one != null),
        timeoutMs: options.identityTimeoutMs ?? longTimeoutMs
      },
      payments: {
        secretKey: stripeKey,
        webhookSecrets: options.webhookSecrets ?? [webhookSecret],
        apiBase: options.paymentsUrl ?? unusedUrl,
        timeoutMs: options.paymentsTimeoutMs ?? longTimeoutMs
      },
      reconcileIntervalMs: 3_600_000,
      smtp: readSmtp({
        SMTP_URL: options.smtpUrl ?? identity.smtpUrl,
        MAIL_FROM: 'Tollgate <no-reply@tollgate.test>'
      }),
      retention: { auditDays: 365, deadKeysDays: 365, formerSecretsDays: 365, catalogsDays: 365 },
      ledger: { hoursKeptDays: 90, monthsKept: null },
      catalogFile: options.catalogFile?.path ?? repositoryCatalog,
      catalogOnStart: options.catalogFile?.mode ?? 'publish-new',
      docsUrl: options.docsUrl ?? null,
      log: { level: 'trace', format: 'json', requests: options.logRequests ?? 1 }
    },
    log,
    database,
    redis,
    tracing: options.tracing ?? null,
    metrics,
    clock,
    limits: { ...noLimits, ...options.limits },
    minResponseTimes: options.minResponseTimes ?? { refusedLoginMs: 0, registerMs: 0 },
    requestTimeoutMs: options.requestTimeoutMs ?? 2 * longTimeoutMs,
    acknowledgeTimeoutMs: options.acknowledgeTimeoutMs ?? longTimeoutMs,
    sweep: { pageSize: 3, pauseMs: 0 },
    catalogFile: {
      intervalMs: options.catalogFile?.intervalMs ?? 3_600_000,
      settleMs: options.catalogFile?.settleMs ?? 0
    },
    ...(options.liveUpstreams !== undefined && { liveUpstreams: options.liveUpstreams })
  })
  const { app, projector, catalogFile } = composed
  if (options.catalogFile === undefined) {
    await composed.catalogPublisher.publish(contentOf(catalog, null), { mode: 'apply', operator: null })
  } else {
    await catalogFile.open()
    catalogFile.start()
  }
  if (options.isProjecting === true) {
    composed.catalog.start()
    projector.start()
  }
  const document = checkAgainstDocument(app)
  url = await app.listen({ host: '127.0.0.1', port: 0 })
  const readiness = () => controlReadiness({ database, redis, health: composed.health }, false)
  const admin = createAdminServer({ registry: metrics.registry, readiness })
  const adminUrl = await admin.listen({ host: '127.0.0.1', port: 0 })

  const control: RunningControl = {
    url,
    adminUrl,
    ...composed,
    database,
    redis,
    catalog,
    identity,
    document,
    logged,
    passTime(ms) {
      movedMs += ms
    },
    now: clock,
    async call(method, path, { body, cookie, origin, headers = {} } = {}) {
      const response = await app.inject({
        method,
        url: path,
        headers: {
          ...(cookie !== undefined && { cookie }),
          ...(origin !== undefined && { origin }),
          ...(body !== undefined && { 'content-type': 'application/json' }),
          ...headers
        },
        ...(body !== undefined && { payload: JSON.stringify(body) })
      })
      return {
        status: response.statusCode,
        headers: response.headers,
        body: /[/+]json/.test(String(response.headers['content-type'])) ? response.json() : response.body,
        cookies: [response.headers['set-cookie'] ?? []].flat()
      }
    },
    async confirmationLink(email) {
      const { pathname, search } = linkIn(await latestMail(identity.mailboxUrl, email))
      return pathname + search
    },
    async confirm({ email, password }, { set, ...options } = {}) {
      const link = await control.confirmationLink(email)
      const opened = await expectStatus(control.call('GET', link, options), 303)
      const { token_hash, type } = Object.fromEntries(
        new URLSearchParams(String(opened.headers.location).split('#')[1] ?? '')
      )
      const body = { token_hash, type, password, ...(set !== undefined && { set }) }
      return control.call('POST', '/api/auth/confirm', { ...options, body })
    },
    async createByOperator({ email, password }) {
      const { data, error } = await identityAdmin(identity.url).createUser({ email, password, email_confirm: true })
      if (error !== null) throw error
      return data.user.id
    },
    async signUp({ plan, name = 'Ada Lovelace' } = {}) {
      const email = `${randomUUID()}@example.com`
      const password = 'correct horse battery'
      await expectStatus(control.call('POST', '/api/auth/register', { body: { email, password, name } }), 200)
      const confirmed = await expectStatus(control.confirm({ email, password }), 200)
      let cookie = sessionIn(confirmed)
      const { user } = confirmed.body as { user: { id: string } }
      if (plan !== undefined) {
        await control.setPlan(user.id, plan)
        cookie = await control.signIn({ email, password })
      }
      return { id: user.id, email, password, name, cookie }
    },
    async signUpOperator() {
      const user = await control.signUp({ name: 'Olga Operator' })
      const { error } = await identityAdmin(identity.url).updateUserById(user.id, {
        app_metadata: { role: 'operator' }
      })
      if (error !== null) throw error
      return { ...user, cookie: await control.signIn(user) }
    },
    async signIn({ email, password }) {
      return sessionIn(await expectStatus(control.call('POST', '/api/auth/login', { body: { email, password } }), 200))
    },
    async setPlan(userId, plan) {
      const { error } = await identityAdmin(identity.url).updateUserById(userId, { app_metadata: { plan } })
      if (error !== null) throw error
    },
    async close() {
      await identity.reported()
      await admin.close()
      await composed[Symbol.asyncDispose]()
      await redis.close()
      await Promise.all([database.close(), identity.close(), ownRedis?.stop()])
      const [violation] = document.violations
      if (violation !== undefined)
        throw new Error(`the OpenAPI document (see openapi/operations.ts) is wrong: ${violation}`)
    }
  }
  return control
}

const longTimeoutMs = 30_000
const lowPasswordCost = 256
/** Nothing listens on the discard protocol's port. */
const unusedUrl = 'http://127.0.0.1:9'

const noLimits: Limits = {
  login: 1e6,
  register: 1e6,
  confirm: 1e6,
  secondFactor: 1e6,
  codesPerHour: 1e6,
  forgotPassword: 1e6,
  resendConfirmation: 1e6,
  resetPassword: 1e6,
  changePassword: 1e6,
  operatorPassword: 1e6,
  changeUser: 1e6,
  exportData: 1e6,
  invite: 1e6,
  acceptInvitation: 1e6,
  billing: 1e6
}
const repositoryCatalog = workspaceFile('deploy/catalog.yaml')

const identityAdmin = (url: string) =>
  createClient(url, serviceRoleKey, { auth: { persistSession: false, autoRefreshToken: false } }).auth.admin

/** The session cookie of an answer, as a browser sends it. */
const sessionIn = ({ cookies }: Answer): string =>
  cookies.find((cookie) => cookie.startsWith(`${sessionCookie}=`))!.split(';')[0]!

async function expectStatus(answering: Promise<Answer>, status: number): Promise<Answer> {
  const answer = await answering
  if (answer.status !== status) throw new Error(`expected ${status}: ${answer.status} ${JSON.stringify(answer.body)}`)
  return answer
}
