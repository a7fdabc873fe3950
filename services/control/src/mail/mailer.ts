import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import type { FastifyBaseLogger } from 'fastify'
import { createTransport } from 'nodemailer'
import { createBackground } from '../background/after-answer.ts'
import type { OnProviderCall, ProviderOutcome } from '../provider-health/provider-calls.ts'
import { describeMailFailure, type MailFailure } from './mail-failure.ts'
import type { SmtpSettings } from './smtp-settings.ts'

/** Milliseconds before each further attempt. */
const defaultPausesMs = [1000, 10_000, 60_000]
/** For connecting, for the server's greeting, and between its answers. */
const timeoutMs = 5000
const maxConnections = 2
/** At a stop: other parts of the process must stop, too. */
const maxDrainMs = 10_000
/** More waiting mails are dropped and logged. */
const maxWaiting = 1000

export interface Mail {
  readonly to: string
  readonly subject: string
  readonly text: string
  readonly html: string
}

/** Named in the log instead of the address. */
export interface MailSubject {
  readonly what: string
  readonly accountId: string
}

/** What became of a mail. `dropped`: too many others were waiting. `not_configured`: control has no mail server. */
export const mailOutcomes = ['sent', 'failed', 'dropped', 'not_configured'] as const
export type MailOutcome = (typeof mailOutcomes)[number]

/** Sends mails in the background. No failure reaches the caller. */
export interface Mailer {
  /**
   * Sends a mail after the answer. A failed attempt is repeated a few times; then the failure is logged.
   *
   * @returns false if control has no mail server
   */
  send(mail: Mail, about: MailSubject): boolean
  /** How many mails are waiting or under way. */
  waiting(): number
  /** Mails under way get one more attempt. Resolves when all are sent or have failed. */
  stop(): Promise<void>
}

export interface MailerOptions {
  /** Null: no mails are sent. */
  smtp: SmtpSettings | null
  log: Pick<FastifyBaseLogger, 'info' | 'warn' | 'error'>
  /** Milliseconds before each further attempt. */
  pausesMs?: readonly number[]
  /** Called once for each mail. */
  onMail?: (outcome: MailOutcome) => void
  /** Called for each attempt. */
  onCall?: OnProviderCall
}

export function createMailer(options: MailerOptions): Mailer {
  const { smtp, log, pausesMs = defaultPausesMs, onMail = () => {}, onCall = () => {} } = options
  if (smtp === null) {
    return {
      send(_mail, about) {
        log.info(about, 'no mail was sent, because SMTP_URL is not set')
        onMail('not_configured')
        return false
      },
      waiting: () => 0,
      stop: async () => undefined
    }
  }
  const transport = openTransport(smtp)
  const background = createBackground(log, maxWaiting)
  const stopping = new AbortController()
  const { signal } = stopping

  async function deliver({ to, ...content }: Mail, about: MailSubject): Promise<void> {
    const id = `<${randomUUID()}@${domainOf(smtp!.from)}>`
    // One id for all attempts, so that mail programs recognise a copy.
    const message = { ...content, from: smtp!.from, to: { name: '', address: to }, messageId: id, headers }
    for (const pauseMs of [...pausesMs, null]) {
      const startedAt = performance.now()
      try {
        await transport.sendMail(message)
        onCall('success', performance.now() - startedAt)
        onMail('sent')
        log.info(about, 'a mail was sent')
        return
      } catch (error) {
        const { isFinal, ...failure } = describeMailFailure(error)
        onCall(outcomeOf(failure, isFinal), performance.now() - startedAt)
        if (isFinal || pauseMs === null || signal.aborted) {
          onMail('failed')
          log.error({ ...about, ...failure }, 'a mail could not be sent')
          return
        }
        log.warn({ ...about, ...failure }, 'a mail could not be sent yet; control tries again')
        // At a stop, the next attempt is the last one.
        await delay(pauseMs, undefined, { signal }).catch(() => undefined)
      }
    }
  }

  return {
    send(mail, about) {
      if (!background.run(about.what, () => deliver(mail, about))) onMail('dropped')
      return true
    },
    waiting: () => background.running(),
    async stop() {
      stopping.abort()
      const ended = new AbortController()
      await Promise.race([
        background.ended().finally(() => ended.abort()),
        delay(maxDrainMs, undefined, { signal: ended.signal }).catch(() => undefined)
      ])
      // Mails that are still under way fail and are logged.
      transport.close()
      await background.ended()
    }
  }
}

function outcomeOf({ status, code }: Pick<MailFailure, 'status' | 'code'>, isFinal: boolean): ProviderOutcome {
  if (status !== undefined) return isFinal ? 'refused' : 'failure'
  return code === 'ETIMEDOUT' ? 'timeout' : 'unreachable'
}

/** Mail programs do not answer such mails automatically (RFC 3834). */
const headers = { 'auto-submitted': 'auto-generated' }

function openTransport({ host, port, isTls, needsStartTls, login }: SmtpSettings) {
  return createTransport({
    ...{ host, port, secure: isTls, requireTLS: needsStartTls },
    ...(login !== null && { auth: { user: login.user, pass: login.password } }),
    ...{ pool: true, maxConnections },
    ...{ connectionTimeout: timeoutMs, greetingTimeout: timeoutMs, socketTimeout: timeoutMs },
    // Mails have neither files nor addresses to load.
    ...{ disableFileAccess: true, disableUrlAccess: true }
  })
}

const domainOf = (from: string): string => /@([^\s>]+)>?$/.exec(from)![1]!
