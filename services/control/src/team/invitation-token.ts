import { hash, randomBytes } from 'node:crypto'

const shape = /^[A-Za-z0-9_-]{43}$/
/** An invitation can be accepted for seven days. */
export const invitationMs = 7 * 86_400_000

/** The secret of an invitation's link: 256 random bits in base64url. */
export const newInvitationToken = (): string => randomBytes(32).toString('base64url')

/** Whether a text has the form of a token; any other text is not looked up. */
export const isInvitationToken = (text: string): boolean => shape.test(text)

/** SHA-256 in hex, the only stored form of a token. */
export const hashInvitationToken = (token: string): string => hash('sha256', token, 'hex')
