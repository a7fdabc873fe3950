import { createHmac, hash, hkdfSync } from 'node:crypto'
import { isIPv4 } from 'node:net'
import { domainToASCII } from 'node:url'
import { normalizeIP } from '@fastify/rate-limit'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { foldCase } from '../http/fold-case.ts'
import type { Limits } from '../http/limits.ts'
import { countForSubject, networkOf } from '../http/rate-limit.ts'

/** Domains of one provider that ignores dots: https://support.google.com/mail/answer/7436150. */
const gmail = new Set(['gmail.com', 'googlemail.com'])

/**
 * The mailbox that an address leads to: in lower case, without a `+tag`, and for Gmail without dots. So all of a
 * person's spellings of one address are one mailbox.
 */
export function mailboxOf(address: string): string {
  const name = foldCase(address.slice(0, address.lastIndexOf('@'))).replace(/\+.*$/s, '')
  const domain = domainOf(address)
  return gmail.has(domain) ? `${name.replaceAll('.', '')}@gmail.com` : `${name}@${domain}`
}

/** The domain of an address, in lower case and ASCII. */
export function domainOf(address: string): string {
  const written = foldCase(address.slice(address.lastIndexOf('@') + 1)).replace(/\.$/, '')
  return domainToASCII(written) || written
}

/** Hashes mailboxes with a key, so that the database alone does not tell an address. */
export interface Mailboxes {
  /** `<which key>.<HMAC>` of the mailbox of an address. */
  digest(address: string): string
  /** Whether the present key made a digest. After a new key, digests are made again. */
  isPresent(digest: string): boolean
}

/** @param secret a secret of all replicas */
export function createMailboxes(secret: string): Mailboxes {
  const key = Buffer.from(hkdfSync('sha256', secret, '', 'tollgate mailbox', 32))
  const prefix = `${hash('sha256', key, 'hex').slice(0, 8)}.`
  return {
    digest: (address) => prefix + createHmac('sha256', key).update(mailboxOf(address)).digest('base64url'),
    isPresent: (digest) => digest.startsWith(prefix)
  }
}

const hourMs = 3_600_000
const dayMs = 86_400_000

/** A mail that the identity provider sends because a request asks for it. */
interface AskedMail {
  readonly kind: 'confirmation' | 'recovery' | 'invitation'
  readonly to: string
  /** The account that sends it; absent for what anybody may ask for. */
  readonly accountId?: string
  /** A browser of the recipient, whose mails strangers do not use up: see `findKnownBrowser`. */
  readonly knownBrowser?: string | null
}

/**
 * Counts a mail. The provider sends a limited number of mails per hour for all of us, so each client address and each
 * account gets a share; for IPv4, the addresses with the same first three numbers share one, too. And nobody gets more
 * than some mails of a kind per day.
 *
 * @returns null if the mail may be sent, else the seconds to wait
 */
type CountMail = (request: FastifyRequest, mail: AskedMail) => Promise<number | null>

export function createMailLimits(app: FastifyInstance, limits: Limits): CountMail {
  const perDay = {
    confirmation: limits.confirmationsPerDay,
    recovery: limits.recoveriesPerDay,
    invitation: limits.invitationsPerDay
  }
  const share = limits.mailsPerHour
  return async ({ ip }, { kind, to, accountId, knownBrowser }) => {
    const address = normalizeIP(ip)
    const counts: Array<[what: string, max: number, windowMs: number, subject: string]> = []
    counts.push(['mails-from-address', share, hourMs, address])
    if (isIPv4(address)) counts.push(['mails-from-block', 2 * share, hourMs, networkOf(address)])
    if (accountId !== undefined) counts.push(['mails-from-account', share, hourMs, accountId])
    // Last, so that a sender who is beyond their share uses up nobody's mails.
    counts.push([`${kind}-mails`, perDay[kind], dayMs, knownBrowser ?? mailboxOf(to.trim())])
    for (const [what, max, windowMs, subject] of counts) {
      const retryAfter = await countForSubject(app, { what, max, windowMs }, subject)
      if (retryAfter !== null) return retryAfter
    }
    return null
  }
}
