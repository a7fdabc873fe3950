import { randomUUID } from 'node:crypto'
import { createClient } from '@supabase/supabase-js'
import type { Catalog } from '@tollgate/contracts/catalog/catalog.ts'
import type { RunningIdentity } from '@tollgate/sandbox/identity/start-identity.ts'
import { latestMail, linkIn } from '@tollgate/sandbox/mailbox/read-mail.ts'
import type { BackgroundLoop } from '@tollgate/service/background/background-loop.ts'
import type { RedisNode } from '@tollgate/state/link/redis-link.ts'
import type { Heartbeat } from '@tollgate/state/processes/heartbeat.ts'
import type { FastifyInstance } from 'fastify'
import type { createOverrideEnder } from '../accounts/override-account.ts'
import type { CustomerRefresher } from '../billing/refresh-customer.ts'
import type { DueCustomersLoop } from '../billing/refresh-due-customers.ts'
import type { InvoiceSweeper } from '../billing/sweep-invoices.ts'
import type { SubscriptionSweeper } from '../billing/sweep-subscriptions.ts'
import { sessionCookie } from '../callers/session-cookie.ts'
import type { CatalogPublisher } from '../catalog/catalog-publisher.ts'
import type { CatalogFollower } from '../catalog/follow-catalog-file.ts'
import type { SharedTime } from '../clocks/clock.ts'
import type { Database } from '../database/connect.ts'
import type { createTokenEnder } from '../playground/end-tokens.ts'
import type { Projector } from '../projection/projector.ts'
import type { Mailboxes } from '../signup/mailbox.ts'
import type { FreeSpendLimit } from '../usage/free-spend-limit.ts'
import type { PlanWriter } from '../users/plan-writer.ts'
import type { DueUsers } from '../users/refresh-user.ts'
import type { Sweeper } from '../users/sweep-users.ts'
import type { DeliveryWorker } from '../webhooks/delivery-worker.ts'
import { type Answer, type Call, type CallOptions, expectStatus } from './call-control.ts'
import type { DocumentCheck } from './check-against-document.ts'
import { serviceRoleKey } from './control-options.ts'

/** A control of a test, with everything that it needs. */
export interface RunningControl extends Users {
  /** `http://127.0.0.1:<port>` */
  url: string
  /** The address of its admin port. */
  adminUrl: string
  app: FastifyInstance
  database: Database
  redis: RedisNode
  projector: Projector
  catalogPublisher: CatalogPublisher
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
  /** Its loop does not run: tests call it. */
  tokenEnder: ReturnType<typeof createTokenEnder>
  /** It does not run: tests call it. */
  heartbeat: Heartbeat
  /** Its loop does not run. */
  invoiceSweeper: InvoiceSweeper
  /** Its loop does not run: tests call it. */
  webhookWorker: DeliveryWorker
  /** Their loops do not run: tests call them. */
  mailSender: BackgroundLoop
  spendWatcher: BackgroundLoop
  freeSpend: FreeSpendLimit
  noticeSweeper: BackgroundLoop
  mailboxes: Mailboxes
  /** The one it was started with. */
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
  /** PostgreSQL's, moved as control's clock is. */
  readonly sharedTime: SharedTime
  call: Call
  /** @throws Error if an answer differed from the OpenAPI document */
  close(): Promise<void>
}

export interface TestUser {
  id: string
  email: string
  password: string
  name: string
  cookie: string
}

/** What tests do as users and as operators. */
export interface Users {
  /** Path and query of the confirmation link that was mailed to an address. */
  confirmationLink(email: string): Promise<string>
  /** Opens that link and enters the password. */
  confirm(user: Pick<TestUser, 'email' | 'password'>, options?: CallOptions & { set?: boolean }): Promise<Answer>
  /** Creates a user with a confirmed address, as an operator does at the identity provider. @returns the id */
  createByOperator(user: Pick<TestUser, 'email' | 'password'>): Promise<string>
  /** Registers, confirms and signs in a user; `cookie` is the session. */
  signUp(options?: { plan?: string; name?: string; email?: string }): Promise<TestUser>
  /** Signs up an operator. @param role of `app_metadata` */
  signUpOperator(role?: string): Promise<TestUser>
  /** Signs in again. @returns the cookie */
  signIn(user: Pick<TestUser, 'email' | 'password'>): Promise<string>
  /** Writes `app_metadata.plan`, as an operator does. It applies from the next sign-in on. */
  setPlan(userId: string, plan: unknown): Promise<void>
}

/** Registers and signs in users by control's own requests. */
export function createUsers(call: Call, identity: RunningIdentity): Users {
  const users: Users = {
    async confirmationLink(email) {
      const { pathname, search } = linkIn(await latestMail(identity.mailboxUrl, email))
      return pathname + search
    },
    async confirm({ email, password }, { set, ...options } = {}) {
      const link = await users.confirmationLink(email)
      const opened = await expectStatus(call('GET', link, options), 303)
      const { token_hash, type } = Object.fromEntries(
        new URLSearchParams(String(opened.headers.location).split('#')[1] ?? '')
      )
      const body = { token_hash, type, password, ...(set !== undefined && { set }) }
      return call('POST', '/api/auth/confirm', { ...options, body })
    },
    async createByOperator({ email, password }) {
      const { data, error } = await identityAdmin(identity.url).createUser({ email, password, email_confirm: true })
      if (error !== null) throw error
      return data.user.id
    },
    async signUp({ plan, name = 'Ada Lovelace', email = `${randomUUID()}@example.com` } = {}) {
      const password = 'correct horse battery'
      await expectStatus(call('POST', '/api/auth/register', { body: { email, password, name } }), 200)
      const confirmed = await expectStatus(users.confirm({ email, password }), 200)
      let cookie = sessionIn(confirmed)
      const { user } = confirmed.body as { user: { id: string } }
      if (plan !== undefined) {
        await users.setPlan(user.id, plan)
        cookie = await users.signIn({ email, password })
      }
      return { id: user.id, email, password, name, cookie }
    },
    async signUpOperator(role = 'operator') {
      const user = await users.signUp({ name: 'Olga Operator' })
      const { error } = await identityAdmin(identity.url).updateUserById(user.id, { app_metadata: { role } })
      if (error !== null) throw error
      return { ...user, cookie: await users.signIn(user) }
    },
    async signIn({ email, password }) {
      return sessionIn(await expectStatus(call('POST', '/api/auth/login', { body: { email, password } }), 200))
    },
    async setPlan(userId, plan) {
      const { error } = await identityAdmin(identity.url).updateUserById(userId, { app_metadata: { plan } })
      if (error !== null) throw error
    }
  }
  return users
}

const identityAdmin = (url: string) =>
  createClient(url, serviceRoleKey, { auth: { persistSession: false, autoRefreshToken: false } }).auth.admin

/** The session cookie of an answer, as a browser sends it. */
const sessionIn = ({ cookies }: Answer): string =>
  cookies.find((cookie) => cookie.startsWith(`${sessionCookie}=`))!.split(';')[0]!
