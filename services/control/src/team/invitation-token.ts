import { hash, randomBytes } from 'node:crypto'

const shape = /^[A-Za-z0-9_-]{43}$/
/** How long an invitation can be accepted: seven days. */
export const invitationMs = 7 * 86_400_000

/** The secret of an invitation's link: 256 random bits in base64url. */
export const newInvitationToken = (): string => randomBytes(32).toString('base64url')

/** Whether a text can be one of ours at all; anything else is not looked for. */
export const isInvitationToken = (text: string): boolean => shape.test(text)

/** SHA-256 in hex: the only form in which a token is stored. */
export const hashInvitationToken = (token: string): string => hash('sha256', token, 'hex')
