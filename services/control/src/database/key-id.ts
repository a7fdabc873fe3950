import { randomBase62 } from '@tollgate/contracts/keys/base62.ts'

const shape = /^key_[0-9A-Za-z]{24}$/

/** A new key's id: 142 random bits. It is not secret. */
export const newKeyId = (): string => `key_${randomBase62(24)}`

const tokenPrefix = 'play_'

/** A new id for the tokens of a person's playground. Usage and requests name it instead of a key. */
export const newTokenId = (): string => tokenPrefix + randomBase62(24)

/** Whether an id is of a playground's tokens, not of a key. */
export const isTokenId = (id: string): boolean => id.startsWith(tokenPrefix)

/** Whether a text has the form of a key's id. Other texts are refused without a database query. */
export const isKeyId = (text: string): boolean => shape.test(text)
