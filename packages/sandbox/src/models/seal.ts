import { createHmac, randomBytes } from 'node:crypto'

/** Signs contents that clients must return unchanged: encrypted reasoning, and signatures of thinking. */
export interface Seal {
  /** Seals a text of a kind, such as reasoning. */
  seal(kind: string, text: string): string
  /** Returns the sealed text; null if this server did not seal it as this kind. */
  open(kind: string, sealed: string): string | null
}

/** Creates a seal with a secret of its own, so that another server's contents are refused, as between two accounts. */
export function createSeal(): Seal {
  const secret = randomBytes(32)
  const sign = (kind: string, text: string) =>
    createHmac('sha256', secret).update(`${kind}\n${text}`).digest('base64url')
  return {
    seal: (kind, text) => `${Buffer.from(text).toString('base64url')}.${sign(kind, text)}`,
    open(kind, sealed) {
      const [encoded = '', signature] = sealed.split('.')
      const text = Buffer.from(encoded, 'base64url').toString('utf8')
      return signature === sign(kind, text) ? text : null
    }
  }
}
