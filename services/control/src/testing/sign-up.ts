import { randomUUID } from 'node:crypto'
import { createClient } from '@supabase/supabase-js'
import type { RunningIdentity } from '@tollgate/sandbox/identity/start-identity.ts'
import { latestMail, linkIn } from '@tollgate/sandbox/mailbox/read-mail.ts'
import { sessionCookie } from '../callers/session-cookie.ts'
import { type Answer, type Call, type CallOptions, expectStatus } from './call-control.ts'
import { serviceRoleKey } from './control-options.ts'

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
