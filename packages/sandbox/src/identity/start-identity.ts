import type { FastifyInstance } from 'fastify'
import { requireFreePort } from '../free-port.ts'
import { buildMailboxApp } from '../mailbox/app.ts'
import { createMailStore } from '../mailbox/mail-store.ts'
import { isAddressInUse, PortTakenError } from '../port-taken-error.ts'
import { buildIdentityApp } from './http/app.ts'
import { createMailSender } from './mail/send-mail.ts'
import { loadTemplates } from './mail/templates.ts'
import { completeSettings, type GivenSettings } from './settings.ts'
import { openDatabase } from './store/database.ts'
import { createOneTimeTokens } from './store/one-time-tokens.ts'
import { createSessions } from './store/sessions.ts'
import { loadSigningKey } from './store/signing-key.ts'
import { createUsers } from './store/users.ts'
import { createUserWebhook, type UserWebhookSettings } from './user-webhook.ts'

export type IdentityOptions = GivenSettings & {
  /** 0 chooses a free one. */
  readonly port: number
  /** 0 chooses a free one. */
  readonly mailboxPort: number
  /** Keeps users, sessions, mails and the signing key. Made if absent; without one all of that is in memory. */
  readonly dataDir?: string | null
  /** `tollgate` (default): the ones of `deploy/supabase`. `stock`: as in a Supabase project that nobody configured. */
  readonly templates?: 'tollgate' | 'stock'
  /** Where changes of users are reported; nowhere unless given. */
  readonly userWebhook?: UserWebhookSettings | null
  /** Unix milliseconds; the system's clock by default. */
  readonly now?: () => number
  /** Whether failures, and requests for what the stand-in lacks, are written to the standard error. */
  readonly isLogging?: boolean
}

export interface RunningIdentity {
  /** What `createClient` of `@supabase/supabase-js` takes: `http://127.0.0.1:<port>`. */
  readonly url: string
  /** `http://127.0.0.1:<port>`: a page for people, and Mailpit's API. */
  readonly mailboxUrl: string
  /** Resolves when every change of a user so far has been reported. */
  reported(): Promise<void>
  close(): Promise<void>
}

/**
 * Starts the stand-in for Supabase Auth and its mailbox on 127.0.0.1, and resolves when both answer.
 *
 * @throws PortTakenError when another program has one of the ports
 * @throws Error when another server uses the `dataDir`, or a mail template is not usable
 */
export async function startIdentity(options: IdentityOptions): Promise<RunningIdentity> {
  const { port, mailboxPort, dataDir = null, templates = 'tollgate', now = Date.now, isLogging = false } = options
  // Before the data is opened, so that a second start of the same server is told about its port.
  for (const wanted of [port, mailboxPort]) await requireFreePort(wanted)
  const database = openDatabase(dataDir)
  const apps: FastifyInstance[] = []
  const warn = (what: string) => void (isLogging && process.stderr.write(`${what}\n`))
  const webhook = options.userWebhook == null ? null : createUserWebhook(options.userWebhook, warn)
  const close = async () => {
    await Promise.all(apps.map((app) => app.close()))
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
        signingKey,
        sendMail: createMailSender(mails, loadTemplates(templates), now),
        baseUrl: () => `${url}/auth/v1`,
        now
      },
      isLogging && { level: 'warn', stream: process.stderr }
    )
    const mailbox = buildMailboxApp(mails)
    apps.push(identity, mailbox)
    const mailboxUrl = await listen(mailbox, mailboxPort)
    url = await listen(identity, port)
    return { url, mailboxUrl, reported: async () => webhook?.settled(), close }
  } catch (error) {
    await close()
    throw error
  }
}

async function listen(app: FastifyInstance, port: number): Promise<string> {
  try {
    return await app.listen({ host: '127.0.0.1', port })
  } catch (error) {
    throw isAddressInUse(error) ? new PortTakenError(port) : error
  }
}
