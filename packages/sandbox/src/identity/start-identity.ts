import { type Brand, builtInBrand } from '@tollgate/service/brand/brand.ts'
import type { FastifyInstance } from 'fastify'
import { portFailure, requireFreePort } from '../free-port.ts'
import { buildMailboxApp } from '../mailbox/app.ts'
import { createMailStore } from '../mailbox/mail-store.ts'
import { type RunningSmtp, startSmtp } from '../mailbox/start-smtp.ts'
import { buildIdentityApp } from './app.ts'
import { completeSettings, type GivenSettings } from './context.ts'
import { chooseTemplates, createMailSender } from './mails.ts'
import { createOneTimeTokens, createSignInFlows, loadSigningKey } from './token-store.ts'
import { createSessions, createUsers, openDatabase } from './user-store.ts'
import { createUserWebhook, type UserWebhookSettings } from './user-webhook.ts'

export type IdentityOptions = GivenSettings & {
  /** 0 chooses a free port. */
  readonly port: number
  /** 0 chooses a free port. */
  readonly mailboxPort: number
  /** Port of the mailbox's mail server. 0 chooses a free port, and is the default. */
  readonly smtpPort?: number
  /** The directory for users, sessions, mails and the signing key; made if absent. Without one they are in memory. */
  readonly dataDir?: string | null
  /** `tollgate` (default): Tollgate's mails, see `deploy/supabase`. `stock`: those of a new Supabase project. */
  readonly templates?: 'tollgate' | 'stock'
  /** The sender of the mails, and the look of Tollgate's. The built-in brand by default. */
  readonly brand?: Brand
  /** The webhook for changes of users; none unless given. */
  readonly userWebhook?: UserWebhookSettings | null
  /** The time in Unix milliseconds; the system's clock by default. */
  readonly now?: () => number
  /** Whether failures and requests to unsupported endpoints are logged to stderr. */
  readonly isLogging?: boolean
}

export interface RunningIdentity {
  /** The URL for `createClient` of `@supabase/supabase-js`: `http://127.0.0.1:<port>`. */
  readonly url: string
  /** `http://127.0.0.1:<port>`: a web page and Mailpit's API. */
  readonly mailboxUrl: string
  /** `smtp://127.0.0.1:<port>`: mails that are sent there come into the mailbox. */
  readonly smtpUrl: string
  /** Resolves when all changes of users so far are reported. */
  reported(): Promise<void>
  close(): Promise<void>
}

/**
 * Starts the embedded identity server, which speaks the API of Supabase Auth, its mailbox, and a mail server that fills
 * the mailbox, on 127.0.0.1. Resolves when all answer.
 *
 * @throws PortTakenError if another program uses one of the ports
 * @throws Error if another server uses the `dataDir`
 */
export async function startIdentity(options: IdentityOptions): Promise<RunningIdentity> {
  const { port, mailboxPort, smtpPort = 0, dataDir = null, templates = 'tollgate', now = Date.now } = options
  const { isLogging = false, brand = builtInBrand } = options
  // Before the data is opened, so that a second start of the same server reports its port.
  for (const wanted of [port, mailboxPort, smtpPort]) await requireFreePort(wanted)
  const database = openDatabase(dataDir)
  const apps: FastifyInstance[] = []
  let smtp: RunningSmtp | null = null
  const warn = (what: string) => void (isLogging && process.stderr.write(`${what}\n`))
  const webhook = options.userWebhook == null ? null : createUserWebhook(options.userWebhook, warn)
  const close = async () => {
    await Promise.all([...apps.map((app) => app.close()), smtp?.close()])
    await webhook?.close()
    if (database.isOpen) database.close()
  }
  try {
    const mails = createMailStore(database)
    const signingKey = await loadSigningKey(database)
    const users = createUsers(database)
    let url = ''
    const identity = buildIdentityApp(
      {
        settings: completeSettings(options),
        database,
        users: webhook === null ? users : webhook.observe(users),
        sessions: createSessions(database),
        oneTimeTokens: createOneTimeTokens(database),
        signInFlows: createSignInFlows(),
        signingKey,
        sendMail: createMailSender(mails, { templates: chooseTemplates(templates, brand), name: brand.name, now }),
        baseUrl: () => `${url}/auth/v1`,
        now
      },
      isLogging && { level: 'warn', stream: process.stderr }
    )
    const mailbox = buildMailboxApp(mails)
    apps.push(identity, mailbox)
    const mailboxUrl = await listen(mailbox, mailboxPort)
    smtp = await startSmtp(mails, { port: smtpPort, now, warn })
    url = await listen(identity, port)
    return { url, mailboxUrl, smtpUrl: smtp.url, reported: async () => webhook?.settled(), close }
  } catch (error) {
    await close()
    throw error
  }
}

async function listen(app: FastifyInstance, port: number): Promise<string> {
  try {
    return await app.listen({ host: '127.0.0.1', port })
  } catch (error) {
    throw portFailure(error, port)
  }
}
