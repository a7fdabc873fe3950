import { randomInt } from 'node:crypto'

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const shape = /^key_[0-9A-Za-z]{24}$/

/** A new key's id: 142 random bits. It is no secret. */
export const newKeyId = (): string =>
  `key_${Array.from({ length: 24 }, () => alphabet.charAt(randomInt(alphabet.length))).join('')}`

/** Whether a text can be the id of a key at all; anything else is not looked for. */
export const isKeyId = (text: string): boolean => shape.test(text)
