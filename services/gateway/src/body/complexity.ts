import { closeBrace, closeBracket, comma, openBrace, openBracket, quote } from './json-bytes.ts'
import { skipString } from './scan.ts'

/** Smaller bodies are parsed in a few milliseconds, whatever is in them. */
const alwaysSimpleBytes = 256 * 1024
const maxDepth = 1000
/** Room for the 300,000 tokens of the largest embeddings request; to parse 20 MiB of `{}` would take seconds. */
const maxValues = 400_000

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
