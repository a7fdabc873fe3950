import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import type { MailKind } from '@tollgate/contracts/http/notices.ts'
import { type BackgroundLoop, createBackgroundLoop } from '@tollgate/service/background/background-loop.ts'
import type { Brand } from '@tollgate/service/brand/brand.ts'
import { isNull, type SQL, sql } from 'drizzle-orm'
import type { FastifyBaseLogger } from 'fastify'
import { type WatchedLoop, watchedIntervalMs } from '../background/due-watch.ts'
import type { SharedTime } from '../clocks/clock.ts'
import type { Orm } from '../database/connect.ts'
import { mails } from '../database/schema/mails.ts'
import { LeasedRows } from '../leased-rows/leased-rows.ts'
import { mailContentOf } from './mail-content-of.ts'
import { kindsOfMails } from './mail-kinds.ts'
import { type Mail, type Mailer, maxConnections } from './mailer.ts'
import { nameMembers } from './name-members.ts'
import { findRecipient, operatorRecipients, type Recipient, unsubscribeToken } from './recipients.ts'
import { renderMail } from './render-mail.ts'

const minuteMs = 60_000
/** Before each further attempt. After the last one the mail has failed: about a day and a half after the first. */
const pausesMs = [0.25, 1, 5, 30, 120, 360, 720, 900].map((minutes) => minutes * minuteMs)
/** Longer than an attempt may take. If a replica dies during an attempt, another one repeats it after this time. */
const leaseMs = 120_000
/**
 * A round waits this long for its mails. Those that take longer go on beside the next rounds, so that they delay no
 * others.
 */
const roundMs = 2000
/** At a stop, mails that are being sent have this time. */
const stopMs = 5000

/**
 * What became of a mail. `skipped`: it is switched off, or nobody can get it. `not_configured`: control has no mail
 * server.
 */
export const mailOutcomes = ['sent', 'failed', 'skipped', 'not_configured'] as const
export type MailOutcome = (typeof mailOutcomes)[number]

export interface MailSenderOptions {
  orm: Orm
  /** null: control has no mail server, and drops the mails. */
  mailer: Mailer | null
  brand: Brand
  /** Mails link to the dashboard there. */
  publicUrl: string
  /** Addresses that get the mails for operators; none: every operator gets them. */
  operatorMail: readonly string[]
  /** For leases and the next attempt. Default: PostgreSQL's. */
  sharedTime?: SharedTime
  log: Pick<FastifyBaseLogger, 'info' | 'warn' | 'error'>
  /** Called once for each mail that ends. */
  onMail?: (outcome: MailOutcome) => void
  intervalMs?: number
}

type Row = typeof mails.$inferSelect

/**
 * Sends queued mails. Any number of replicas may run it: each mail is leased by one. A mail is sent once, but once more
 * if the replica dies between the mail server's answer and the database's; both copies have the same `Message-ID`.
 */
export function createMailSender(options: MailSenderOptions): BackgroundLoop & WatchedLoop {
  const { mailer, log, intervalMs = watchedIntervalMs } = options
  const attempts = new MailAttempts(options)
  const underWay = new Set<Promise<void>>()
  /** Of mails that ended after their round. */
  let lateFailure: { readonly error: unknown } | null = null

  /** Resolves when the mail has ended, or after a while; rejects if it fails before. */
  async function start(row: Row): Promise<void> {
    let isLate = false
    const sending = attempts.send(row).catch((error: unknown) => {
      if (!isLate) throw error
      lateFailure = { error }
    })
    const done = sending.then(
      () => undefined,
      () => undefined
    )
    underWay.add(done)
    void done.then(() => underWay.delete(done)).then(() => isLate && loop.wake())
    const ends = new AbortController()
    try {
      await Promise.race([sending, delay(roundMs, undefined, { signal: ends.signal })])
    } finally {
      isLate = true
      ends.abort()
    }
  }

  const loop = createBackgroundLoop({
    async round() {
      const free = maxConnections - underWay.size
      if (free === 0) return null
      const claimed = await attempts.claim(free)
      const outcomes = await Promise.allSettled(claimed.map(start))
      const failed = outcomes.find((outcome) => outcome.status === 'rejected')
      if (failed !== undefined) throw failed.reason
      const late = lateFailure
      lateFailure = null
      if (late !== null) throw late.error
      return claimed.length === free ? 'again' : null
    },
    intervalMs,
    log,
    messages: { failing: 'queued mails cannot be read or written', recovered: 'queued mails are sent again' }
  })
  return {
    ...loop,
    isDue: () => attempts.hasDue(),
    async stop() {
      await loop.stop()
      const ended = Promise.all(underWay)
      const ends = new AbortController()
      await Promise.race([ended, delay(stopMs, undefined, { signal: ends.signal })])
      ends.abort()
      // What is still under way fails, and is sent later.
      mailer?.stop()
      await ended
    }
  }
}

/** Attempts to send queued mails. Each ends in the queue: the mail has ended, or is due again. */
class MailAttempts {
  readonly #options: MailSenderOptions
  readonly #queue: LeasedRows<typeof mails>

  constructor(options: MailSenderOptions) {
    this.#options = options
    this.#queue = new LeasedRows(
      options.orm,
      { table: mails, key: 'id', due: 'dueAt', lease: 'leaseEndsAt', leaseMs },
      options.sharedTime
    )
  }

  /** Leases due mails, at most `max`. */
  claim(max: number): Promise<Row[]> {
    const set = { state: 'sending' as const, attempts: sql`${mails.attempts} + 1` }
    return this.#queue.claim(max, { where: isNull(mails.endedAt), set })
  }

  /** The condition that a mail is due. */
  hasDue(): SQL {
    return this.#queue.hasDue(isNull(mails.endedAt))
  }

  /** Sends a claimed mail, and stores what became of it. @throws the error of the database */
  async send(row: Row): Promise<void> {
    const { orm, mailer, log } = this.#options
    if (mailer === null) {
      log.info({ kind: row.kind, accountId: row.accountId }, 'no mail was sent, because SMTP_URL is not set')
      return this.#end(row, 'skipped', 'not_configured')
    }
    // It was tried again and again without a result: writing it fails, or each replica died.
    if (row.attempts > pausesMs.length + 1) return this.#end(row, 'failed', 'failed', 'unsendable')
    if (row.recipient === 'operators') return this.#expand(row)
    const kind = row.kind as MailKind
    const recipient = await findRecipient(orm, row.recipient, kind)
    if (recipient === null) return this.#end(row, 'skipped', 'skipped')
    const mail = await this.#toMail(row, kind, recipient)
    const delivery = await mailer.deliver(mail, { kind, accountId: row.accountId })
    if (delivery.outcome === 'sent') return this.#end(row, 'sent', 'sent')
    const pauseMs = delivery.outcome === 'refused' ? undefined : pausesMs[row.attempts - 1]
    if (pauseMs === undefined) {
      log.error({ kind, accountId: row.accountId, mailId: row.id, failure: delivery.failure }, 'a mail has failed')
      return this.#end(row, 'failed', 'failed', delivery.failure)
    }
    await this.#queue.end(row, { dueAt: this.#queue.after(pauseMs), failure: delivery.failure })
  }

  async #toMail(row: Row, kind: MailKind, recipient: Recipient): Promise<Mail> {
    const { orm, brand, publicUrl } = this.#options
    const { isRequired, isForOperators, about } = kindsOfMails[kind]
    const unsubscribeUrl = isRequired
      ? null
      : `${publicUrl}/api/unsubscribe?token=${await unsubscribeToken(orm, recipient.name, kind)}`
    const { button, ...content } = mailContentOf(kind, await nameMembers(orm, row.notices), row.count)
    const text = { ...content, button: { text: button.text, url: publicUrl + button.path } }
    const why = isForOperators
      ? `You get this mail because you operate ${brand.name}.`
      : `You get this mail about ${about} because you own an account at ${brand.name}.`
    return {
      id: row.id,
      to: recipient.address,
      ...renderMail(text, { brand, why, unsubscribeUrl }),
      unsubscribeUrl
    }
  }

  /** Replaces a mail for the operators by one for each of them, so that each has its own attempts. */
  async #expand(row: Row): Promise<void> {
    const { orm, operatorMail } = this.#options
    const recipients = await operatorRecipients(orm, operatorMail)
    if (recipients.length === 0) return this.#end(row, 'skipped', 'skipped')
    await orm.transaction(async (tx) => {
      const removed = await tx.delete(mails).where(this.#queue.isOurs(row)).returning({ id: mails.id })
      if (removed.length === 0) return
      const each = recipients.map((recipient) => ({
        ...row,
        id: randomUUID(),
        recipient,
        attempts: 0,
        leaseEndsAt: null
      }))
      await tx.insert(mails).values(each)
    })
  }

  async #end(row: Row, state: 'sent' | 'failed' | 'skipped', outcome: MailOutcome, failure: string | null = null) {
    const queue = this.#queue
    if ((await queue.end(row, { state, failure, endedAt: queue.now() })) !== null) this.#options.onMail?.(outcome)
  }
}
