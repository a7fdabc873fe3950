import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { createClient } from '@supabase/supabase-js'
import { type Child, startChild } from '@tollgate/sandbox/child/child.ts'
import { findProgram } from '@tollgate/sandbox/find-program.ts'
import { freePort } from '@tollgate/sandbox/free-port.ts'
import { startIdentity } from '@tollgate/sandbox/identity/start-identity.ts'
import { startModels } from '@tollgate/sandbox/models/start-models.ts'
import { startPayments } from '@tollgate/sandbox/payments/start-payments.ts'
import { startPostgres } from '@tollgate/sandbox/postgres/start-postgres.ts'
import { startRedis } from '@tollgate/sandbox/redis/start-redis.ts'
import type { ImageConfig } from './build-images.ts'

/** crun needs cgroup v2, which a machine with the older form gets in this process's own view of the files. */
const inOwnMounts = ['--mount', 'sh', '-c', 'mount -t cgroup2 cgroup2 /sys/fs/cgroup && exec "$@"', 'sh']

const stopTimeoutMs = 30_000
const run = promisify(execFile)

/** What the services need around them, on loopback. */
export interface Surroundings extends AsyncDisposable {
  readonly controlUrl: string
  readonly gatewayUrl: string
  readonly controlVariables: Readonly<Record<string, string>>
  readonly gatewayVariables: Readonly<Record<string, string>>
  /** Signs a user in at control and creates an inference key. @returns its secret */
  createKey(): Promise<string>
}

/**
 * Starts a real Redis and PostgreSQL, and the embedded servers for identity, payments and models.
 *
 * @param directory for the data of Redis
 * @throws Error if PostgreSQL is not installed
 */
export async function startSurroundings(directory: string): Promise<Surroundings> {
  await using parts = new AsyncDisposableStack()
  const redis = await startRedis({ port: 0, dataDir: join(directory, 'redis') })
  parts.defer(() => redis.stop())
  const postgres = await startPostgres({ fsync: true })
  if (postgres === null) throw new Error('PostgreSQL is not installed')
  parts.defer(() => postgres.stop())
  const models = await startModels({ port: 0, apiKey: 'sandbox' })
  parts.defer(() => models.close())

  const [control, controlAdmin, gateway, gatewayAdmin] = [
    String(await freePort()),
    String(await freePort()),
    String(await freePort()),
    String(await freePort())
  ]
  const controlUrl = `http://127.0.0.1:${control}`
  const secret = () => randomBytes(24).toString('base64url')
  const keys = { anonKey: `sb_publishable_${secret()}`, serviceRoleKey: `sb_secret_${secret()}` }
  const identity = await startIdentity({ port: 0, mailboxPort: 0, siteUrl: controlUrl, ...keys })
  parts.defer(() => identity.close())
  const payments = { apiKey: `sk_test_${secret()}`, webhookSecret: `whsec_${secret()}` }
  const paymentsServer = await startPayments({
    port: 0,
    apiKey: payments.apiKey,
    webhook: { url: `${controlUrl}/api/billing/webhook`, secrets: [payments.webhookSecret] }
  })
  parts.defer(() => paymentsServer.close())

  const stack = parts.move()
  return {
    controlUrl,
    gatewayUrl: `http://127.0.0.1:${gateway}`,
    controlVariables: {
      CONTROL_PORT: control,
      CONTROL_ADMIN_PORT: controlAdmin,
      PUBLIC_URL: controlUrl,
      GATEWAY_PUBLIC_URL: `http://127.0.0.1:${gateway}`,
      DATABASE_URL: postgres.url,
      AUTO_MIGRATE: 'false',
      REDIS_URL: redis.url,
      SUPABASE_URL: identity.url,
      SUPABASE_ANON_KEY: keys.anonKey,
      SUPABASE_SERVICE_ROLE_KEY: keys.serviceRoleKey,
      STRIPE_SECRET_KEY: payments.apiKey,
      STRIPE_WEBHOOK_SECRET: payments.webhookSecret,
      STRIPE_API_BASE: paymentsServer.url
    },
    gatewayVariables: {
      GATEWAY_PORT: gateway,
      GATEWAY_ADMIN_PORT: gatewayAdmin,
      REDIS_URL: redis.url,
      OPENAI_BASE_URL: models.baseUrl,
      OPENAI_API_KEY: 'sandbox'
    },
    async createKey() {
      const person = { email: 'ada@example.com', password: 'correct horse battery staple' }
      const { auth } = createClient(identity.url, keys.serviceRoleKey, { auth: { persistSession: false } })
      const { error } = await auth.admin.createUser({
        ...person,
        email_confirm: true,
        app_metadata: { plan: 'enterprise' }
      })
      if (error !== null) throw error
      const login = await post(`${controlUrl}/api/auth/login`, person)
      const cookie = login.headers.getSetCookie().map((one) => one.split(';')[0])
      const created = await post(`${controlUrl}/api/keys`, { label: 'smoke test' }, { cookie: cookie.join('; ') })
      return ((await created.json()) as { key: { value: string } }).key.value
    },
    [Symbol.asyncDispose]: () => stack.disposeAsync()
  }
}

async function post(url: string, body: object, headers: Record<string, string> = {}): Promise<Response> {
  const answer = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body)
  })
  assert.ok(answer.ok, `${url}: ${answer.status}`)
  return answer
}

interface ContainerOptions {
  /** The name of the container; unique among those that run. */
  readonly name: string
  /** The files of the image. */
  readonly root: string
  readonly config: ImageConfig
  /** Replaces the arguments of the image: `CMD`. */
  readonly args?: readonly string[]
  /** Environment variables, in addition to those of the image. */
  readonly variables: Readonly<Record<string, string>>
  /** A folder for the container's settings. */
  readonly directory: string
}

/** A container that runs under the rules of a strict cluster. */
export interface Container extends Child {
  /**
   * Runs a program in the container.
   *
   * @param more environment variables, in addition to those of the container
   * @returns its exit status and its output
   */
  exec(args: readonly string[], more?: Readonly<Record<string, string>>): Promise<{ status: number; output: string }>
}

/** Whether this machine can run containers: crun is installed, and this process may make namespaces and mount. */
export async function findCrun(): Promise<string | null> {
  const crun = findProgram(['crun'])
  if (crun === null) return null
  return run('unshare', [...inOwnMounts, crun, '--version']).then(
    () => crun,
    () => null
  )
}

/**
 * Starts the image's process: as its user, with its variables, with a read-only root and nothing writable besides,
 * without any capability, and without a way to get one. It uses the network of this machine.
 */
export async function startContainer(options: ContainerOptions): Promise<Container> {
  const { name, config, variables, directory } = options
  const crun = (await findCrun())!
  const bundle = join(directory, name)
  mkdirSync(bundle, { recursive: true })
  writeFileSync(join(bundle, 'config.json'), JSON.stringify(bundleConfig(options), null, 2))
  const crunArgs = [crun, '--root', join(directory, 'crun'), '--cgroup-manager', 'disabled']
  const child = await startChild({
    command: 'unshare',
    args: [...inOwnMounts, ...crunArgs, 'run', '--bundle', bundle, name],
    cwd: directory,
    stopSignal: config.StopSignal as 'SIGTERM',
    stopTimeoutMs,
    temporaryDirectory: null
  })
  return {
    ...child,
    async exec(args, more = {}) {
      const env = environment(config, { ...variables, ...more }).flatMap((variable) => ['--env', variable])
      const inside = ['exec', '--cwd', config.WorkingDir, '--user', config.User, ...env, name, ...args]
      try {
        const { stdout, stderr } = await run('unshare', [...inOwnMounts, ...crunArgs, ...inside])
        return { status: 0, output: stdout + stderr }
      } catch (error) {
        const { code, stdout, stderr } = error as { code: number; stdout: string; stderr: string }
        return { status: code, output: stdout + stderr }
      }
    }
  }
}

const environment = (config: ImageConfig, variables: Readonly<Record<string, string>>): string[] => [
  ...config.Env,
  ...Object.entries(variables).map(([name, value]) => `${name}=${value}`)
]

/** The settings of a container, as the OCI runtime specification 1.0 has them. */
function bundleConfig({ root, config, args = config.Cmd, variables }: ContainerOptions): object {
  const [uid, gid] = config.User.split(':').map(Number)
  const none = { bounding: [], effective: [], inheritable: [], permitted: [], ambient: [] }
  return {
    ociVersion: '1.0.0',
    process: {
      terminal: false,
      user: { uid, gid },
      args: [...config.Entrypoint, ...args],
      env: environment(config, variables),
      cwd: config.WorkingDir,
      capabilities: none,
      noNewPrivileges: true
    },
    root: { path: root, readonly: true },
    mounts: [
      { destination: '/proc', type: 'proc', source: 'proc' },
      { destination: '/dev', type: 'tmpfs', source: 'tmpfs', options: ['nosuid', 'mode=755', 'size=65536k'] },
      { destination: '/dev/shm', type: 'tmpfs', source: 'shm', options: ['nosuid', 'noexec', 'nodev', 'ro'] }
    ],
    linux: {
      namespaces: [{ type: 'pid' }, { type: 'ipc' }, { type: 'uts' }, { type: 'mount' }],
      maskedPaths: ['/proc/kcore', '/proc/keys', '/proc/sched_debug'],
      readonlyPaths: ['/proc/sys', '/proc/sysrq-trigger']
    }
  }
}
