import { hash, randomBytes } from 'node:crypto'

const shape = /^[A-Za-z0-9_-]{43}$/
/** An invitation can be accepted for seven days. */
export const invitationMs = 7 * 86_400_000

/** A new secret for an invitation link: 256 random bits in base64url. */
export const newInvitationToken = (): string => randomBytes(32).toString('base64url')

/** Whether a text has the form of a token. Other texts are refused without a database query. */
export const isInvitationToken = (text: string): boolean => shape.test(text)

/** SHA-256 in hex. The database stores tokens only in this form. */
export const hashInvitationToken = (token: string): string => hash('sha256', token, 'hex')
