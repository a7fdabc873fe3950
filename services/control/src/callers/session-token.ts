import { hash, randomBytes } from 'node:crypto'

const shape = /^[A-Za-z0-9_-]{43}$/

/** A new session's id, as its cookie carries it: 256 random bits in base64url. */
export const newSessionToken = (): string => randomBytes(32).toString('base64url')

/** Whether a text can be one of ours at all; anything else is refused without a look into the database. */
export const isSessionToken = (text: string): boolean => shape.test(text)

/** SHA-256 in hex: the only form in which a session's id is stored. */
export const hashSessionToken = (token: string): string => hash('sha256', token, 'hex')
