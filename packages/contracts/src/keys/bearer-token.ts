/** The token of an `Authorization: Bearer` header (RFC 6750; the scheme's case does not matter), or null. */
export function bearerToken(authorization: string | undefined): string | null {
  if (authorization === undefined) return null
  const token = /^bearer +(\S+) *$/i.exec(authorization)
  return token === null ? null : token[1]!
}
