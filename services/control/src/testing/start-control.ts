import { randomUUID } from 'node:crypto'
import { createClient } from '@supabase/supabase-js'
import type { Catalog } from '@tollgate/contracts/catalog/catalog.ts'
import { loadCatalogFile } from '@tollgate/contracts/catalog/catalog-file.ts'
import { connectRedis, type RedisLink } from '@tollgate/contracts/redis/redis-link.ts'
import { type RunningIdentity, startIdentity } from '@tollgate/sandbox/identity/start-identity.ts'
import { latestMail, linkIn } from '@tollgate/sandbox/mailbox/read-mail.ts'
import { type RunningRedis, startRedis } from '@tollgate/sandbox/redis/start-redis.ts'
import type { FastifyInstance, InjectOptions } from 'fastify'
import { buildApp } from '../app.ts'
import { createSupabaseIdentity } from '../auth/identity/supabase-identity.ts'
import type { Floors } from '../auth/pace.ts'
import { sessionCookie } from '../auth/session-cookie.ts'
import type { Database } from '../database/connect.ts'
import { migrate } from '../database/migrate.ts'
import { createLog } from '../http/log.ts'
import { createProjector, type Projector } from '../projection/projector.ts'
import { openTestDatabase } from './databases.ts'

export const anonKey = 'anon-key-of-the-tests'
export const serviceRoleKey = 'service-role-key-of-the-tests'

export type StartControlOptions = {
  /** An empty database, or one of an earlier start. `pglite:memory` by default. */
  databaseUrl?: string
  /** By default a Redis of its own is started. */
  redisUrl?: string
  /** By default the sandbox's identity server is started; a URL replaces it, and then nobody can be signed in. */
  identityUrl?: string
  identityTimeoutMs?: number
  requestLimitMs?: number
  publicUrl?: string
  serviceDomain?: string
  extraOrigins?: string[]
  trustProxy?: boolean | string[]
  /** None by default, so that refusals are not slow. */
  floors?: Floors
  /** The repository's by default. */
  catalog?: Catalog
  /** Whether the projection loop runs. Without it only single changes reach Redis. */
  isProjecting?: boolean
}

export type TestUser = { id: string; email: string; password: string; name: string; cookie: string }

export type Answer = {
  status: number
  headers: Record<string, string | string[] | number | undefined>
  /** Parsed JSON; the text, if it is none. */
  body: unknown
  /** Every `Set-Cookie`. */
  cookies: string[]
}

/** The code of a failed answer. */
export const codeOf = ({ body }: Answer): string => (body as { error: { code: string } }).error.code

export type CallOptions = { body?: unknown; cookie?: string; origin?: string; headers?: Record<string, string> }

export type RunningControl = {
  /** `http://127.0.0.1:<port>` */
  url: string
  app: FastifyInstance
  database: Database
  redis: RedisLink
  projector: Projector
  catalog: Catalog
  identity: RunningIdentity
  /** Everything that was logged, a JSON line each. */
  logged: string[]
  /** Lets the time of control pass: of sessions, not of Redis or of timers. */
  passTime(ms: number): void
  /** A request to `/path`; a body is sent as JSON. */
  call(method: NonNullable<InjectOptions['method']>, path: string, options?: CallOptions): Promise<Answer>
  /** Path and query of the confirmation link that was mailed to an address. */
  confirmationLink(email: string): Promise<string>
  /** Registers and confirms somebody, and signs them in: `cookie` is what their browser sends. */
  signUp(options?: { plan?: string; name?: string }): Promise<TestUser>
  /** Signs in again. @returns the cookie */
  signIn(user: Pick<TestUser, 'email' | 'password'>): Promise<string>
  /** Writes `app_metadata.plan`, as an operator does. It holds from the next sign-in on. */
  setPlan(userId: string, plan: unknown): Promise<void>
  close(): Promise<void>
}

/** Starts control on a free port of 127.0.0.1, with the parts it needs. */
export async function startControl(options: StartControlOptions = {}): Promise<RunningControl> {
  const publicUrl = options.publicUrl ?? 'http://localhost:3000'
  const ownRedis = options.redisUrl === undefined ? await startRedis({ port: 0 }) : null
  const identity = await startIdentity({ port: 0, mailboxPort: 0, siteUrl: publicUrl, anonKey, serviceRoleKey })
  const catalog = options.catalog ?? loadCatalogFile(repositoryCatalog)
  const logged: string[] = []
  const log = createLog('trace', { write: (line) => void logged.push(line) })
  const database = await openTestDatabase(options.databaseUrl ?? 'pglite:memory')
  await migrate(database.orm)
  const redis = connectRedis(options.redisUrl ?? (ownRedis as RunningRedis).url, {
    name: 'control-test',
    silenceLimitMs: 2000,
    onError: (err) => log.debug({ err }, 'redis')
  })
  await redis.ready()
  const projector = createProjector({ database, redis, catalog, log })
  if (options.isProjecting === true) projector.start()

  let passedMs = 0
  const app = buildApp({
    config: {
      publicUrl,
      serviceDomain: options.serviceDomain ?? new URL(publicUrl).hostname,
      extraOrigins: options.extraOrigins ?? [],
      trustProxy: options.trustProxy ?? false
    },
    database,
    identity: createSupabaseIdentity({
      url: options.identityUrl ?? identity.url,
      anonKey,
      serviceRoleKey,
      redirectTo: `${publicUrl}/login`,
      timeoutMs: options.identityTimeoutMs,
      log
    }),
    redis,
    catalog,
    projector,
    log,
    clock: () => new Date(Date.now() + passedMs),
    floors: options.floors ?? { refusedLoginMs: 0, registerMs: 0 },
    requestLimitMs: options.requestLimitMs
  })
  const url = await app.listen({ host: '127.0.0.1', port: 0 })

  const control: RunningControl = {
    url,
    app,
    database,
    redis,
    projector,
    catalog,
    identity,
    logged,
    passTime(ms) {
      passedMs += ms
    },
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
        body: /json/.test(String(response.headers['content-type'])) ? response.json() : response.body,
        cookies: [response.headers['set-cookie'] ?? []].flat()
      }
    },
    async confirmationLink(email) {
      const { pathname, search } = linkIn(await latestMail(identity.mailboxUrl, email))
      return pathname + search
    },
    async signUp({ plan, name = 'Ada Lovelace' } = {}) {
      const email = `${randomUUID()}@example.com`
      const password = 'correct horse battery'
      await expectStatus(control.call('POST', '/api/auth/register', { body: { email, password, name } }), 200)
      await expectStatus(control.call('GET', await control.confirmationLink(email)), 303)
      let cookie = await control.signIn({ email, password })
      const { user } = (await control.call('GET', '/api/auth/me', { cookie })).body as { user: { id: string } }
      if (plan !== undefined) {
        await control.setPlan(user.id, plan)
        cookie = await control.signIn({ email, password })
      }
      return { id: user.id, email, password, name, cookie }
    },
    async signIn({ email, password }) {
      const answer = await expectStatus(control.call('POST', '/api/auth/login', { body: { email, password } }), 200)
      return answer.cookies.find((cookie) => cookie.startsWith(`${sessionCookie}=`))!.split(';')[0]!
    },
    async setPlan(userId, plan) {
      const { error } = await admin(identity.url).updateUserById(userId, { app_metadata: { plan } })
      if (error !== null) throw error
    },
    async close() {
      await app.close()
      await projector.stop()
      await redis.close()
      await Promise.all([database.close(), identity.close(), ownRedis?.stop()])
    }
  }
  return control
}

const repositoryCatalog = new URL('../../../../deploy/catalog.yaml', import.meta.url).pathname

const admin = (url: string) =>
  createClient(url, serviceRoleKey, { auth: { persistSession: false, autoRefreshToken: false } }).auth.admin

async function expectStatus(answering: Promise<Answer>, status: number): Promise<Answer> {
  const answer = await answering
  if (answer.status !== status) throw new Error(`expected ${status}: ${answer.status} ${JSON.stringify(answer.body)}`)
  return answer
}
