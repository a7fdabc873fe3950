import { createHmac, hash, hkdfSync } from 'node:crypto'
import { domainToASCII } from 'node:url'
import { foldCase } from '../http/fold-case.ts'

/** Domains of one provider that ignores dots: https://support.google.com/mail/answer/7436150. */
const gmail = new Set(['gmail.com', 'googlemail.com'])

/**
 * The mailbox that an address leads to: in lower case, without a `+tag`, and for Gmail without dots. So all of a person's
 * spellings of one address are one mailbox.
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
