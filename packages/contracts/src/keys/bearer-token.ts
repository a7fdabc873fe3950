/**
 * Reads the token of an `Authorization: Bearer` header (RFC 6750). The scheme may be in any case. Null without a token.
 */
export function bearerToken(authorization: string | undefined): string | null {
  if (authorization === undefined) return null
  const token = /^bearer +(\S+) *$/i.exec(authorization)
  return token === null ? null : token[1]!
}
