import { hash, randomBytes } from 'node:crypto'

const shape = /^[A-Za-z0-9_-]{43}$/

/** A new session id for a cookie: 256 random bits in base64url. */
export const newSessionToken = (): string => randomBytes(32).toString('base64url')

/** Whether a text has the form of a session id. Other texts are refused without a database query. */
export const isSessionToken = (text: string): boolean => shape.test(text)

/** SHA-256 in hex. The database stores session ids only in this form. */
export const hashSessionToken = (token: string): string => hash('sha256', token, 'hex')
