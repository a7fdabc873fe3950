import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import { type AddressInfo, createServer as createTcpServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { type IdentityOptions, type RunningIdentity, startIdentity } from '@tollgate/sandbox/identity/start-identity.ts'
import { type PaymentsOptions, type RunningPayments, startPayments } from '@tollgate/sandbox/payments/start-payments.ts'
import type { RedisProgram } from '@tollgate/sandbox/redis/find-redis-server.ts'
import type { RunningRedis } from '@tollgate/sandbox/redis/running-redis.ts'
import { startRedis } from '@tollgate/sandbox/redis/start-redis.ts'
import { productsOf } from '../../system/child-env.ts'

export const keys = {
  anonKey: 'sb_publishable_ofTheDoctor',
  serviceRoleKey: 'sb_secret_ofTheDoctor',
  stripeKey: 'sk_test_ofTheDoctor0123',
  webhookSecret: 'whsec_ofTheDoctor0123456',
  modelsKey: 'sk-models-ofTheDoctor'
} as const

/** Starts servers that end with the test. They are right unless the options say otherwise. */
export interface Servers {
  startIdentity(options?: Partial<IdentityOptions>): Promise<RunningIdentity>
  startPayments(options?: Partial<PaymentsOptions>): Promise<RunningPayments>
  startRedis(args?: readonly string[], password?: string): Promise<RunningRedis>
}

/** Remembers how to stop a part when the test ends. */
export type Keep = <Part>(part: Part, stop: () => Promise<unknown>) => Part

export interface ServerOptions {
  readonly publicUrl: string
  readonly catalogFile: string
  readonly cwd: string
  readonly program: RedisProgram
  readonly keep: Keep
}

export function createServers({ publicUrl, catalogFile, cwd, program, keep }: ServerOptions): Servers {
  const webhook = { url: `${publicUrl}/api/billing/webhook`, secrets: [keys.webhookSecret] }
  let redisServers = 0
  return {
    async startIdentity(options) {
      const { anonKey, serviceRoleKey } = keys
      const config = { port: 0, mailboxPort: 0, siteUrl: publicUrl, anonKey, serviceRoleKey, ...options }
      const identity = await startIdentity(config)
      return keep(identity, identity.close)
    },
    async startPayments(options) {
      const products = productsOf({ CATALOG_FILE: catalogFile })
      const payments = await startPayments({ port: 0, apiKey: keys.stripeKey, products, webhook, ...options })
      return keep(payments, payments.close)
    },
    async startRedis(args = [], password) {
      const dataDir = join(cwd, `redis-${redisServers++}`)
      const redis = await startRedis({ port: 0, program, dataDir, args, ...(password !== undefined && { password }) })
      return keep(redis, redis.stop)
    }
  }
}

/** Starts an HTTP server. @returns its origin */
export async function startServer(answer: RequestListener, keep: Keep): Promise<string> {
  const server = createServer(answer)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  keep(server, async () => {
    server.closeAllConnections()
    server.close()
  })
  return `http://localhost:${(server.address() as AddressInfo).port}`
}

/** Answers paths with a status and JSON, all others with 404. */
export const json =
  (answers: Readonly<Record<string, readonly [status: number, body: unknown]>>): RequestListener =>
  (request, response) => {
    const [status, body] = answers[request.url ?? ''] ?? [404, { message: 'not found' }]
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
  }

export const mailPassword = 'password-of-the-mail-server'

/** How the server answers. */
export interface MailServerOptions {
  /** Its first words. */
  readonly greeting?: string
  /** The only password that it accepts. */
  readonly password: string
}

/** Starts a mail server of few words that knows the user `ada`. */
export async function startMailServer({ greeting = '220 ready', password }: MailServerOptions) {
  const mails: string[] = []
  const sockets = new Set<Socket>()
  const login = Buffer.from(`\0ada\0${password}`).toString('base64')
  const answers: Record<string, (line: string) => string> = {
    EHLO: () => '250-ready\r\n250 AUTH PLAIN',
    AUTH: (line) => (line === `AUTH PLAIN ${login}` ? '235 welcome' : '535 wrong password'),
    MAIL: (line) => {
      mails.push(line)
      return '250 ok'
    }
  }
  const server = createTcpServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => {}) // Clients may leave at any time.
    socket.write(`${greeting}\r\n`)
    const lines = createInterface(socket)
    lines.on('error', () => {}) // It repeats those of the socket.
    lines.on('line', (line) => {
      const answer = answers[line.split(' ')[0]!.toUpperCase()] ?? (() => '250 ok')
      socket.write(`${answer(line)}\r\n`)
    })
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  return {
    /** The variables of control. */
    env: {
      SMTP_URL: `smtp://ada:${encodeURIComponent(mailPassword)}@127.0.0.1:${port}`,
      MAIL_FROM: 'Tollgate <no-reply@example.com>'
    },
    mails,
    async close() {
      for (const socket of sockets) socket.destroy()
      server.close()
    }
  }
}
