import { randomBase62 } from '@tollgate/contracts/keys/base62.ts'

const shape = /^key_[0-9A-Za-z]{24}$/

/** A new key's id: 142 random bits. It is not secret. */
export const newKeyId = (): string => `key_${randomBase62(24)}`

/** Whether a text has the form of a key's id. Other texts are refused without a database query. */
export const isKeyId = (text: string): boolean => shape.test(text)
