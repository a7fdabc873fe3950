import { randomBase62 } from '@tollgate/contracts/keys/base62.ts'

const shape = /^key_[0-9A-Za-z]{24}$/

/** A new key's id: 142 random bits. It is no secret. */
export const newKeyId = (): string => `key_${randomBase62(24)}`

/** Whether a text can be the id of a key at all; anything else is not looked for. */
export const isKeyId = (text: string): boolean => shape.test(text)
