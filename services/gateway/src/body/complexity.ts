import { skipString } from './members.ts'

/** Smaller bodies are parsed in a few milliseconds, whatever is in them. */
const alwaysSimpleBytes = 256 * 1024
const maxDepth = 1000
/** Far more than any prompt has parts; to parse 20 MiB of nothing but values would stop the process for seconds. */
const maxValues = 200_000

const quote = 0x22
const comma = 0x2c
const openBrace = 0x7b
const closeBrace = 0x7d
const openBracket = 0x5b
const closeBracket = 0x5d

/**
 * Whether a large body is made of so many or so deeply nested values that parsing it would cost more than any request
 * is worth. Looks at the bytes only; they need not be JSON.
 */
export function isTooComplex(body: Buffer): boolean {
  if (body.length <= alwaysSimpleBytes) return false
  let depth = 0
  let values = 0
  for (let at = 0; at < body.length; at++) {
    switch (body[at]) {
      case quote:
        at = skipString(body, at) - 1
        break
      case openBrace:
      case openBracket:
        if (++depth > maxDepth || ++values > maxValues) return true
        break
      case comma:
        if (++values > maxValues) return true
        break
      case closeBrace:
      case closeBracket:
        depth--
    }
  }
  return false
}
