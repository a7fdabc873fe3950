import { randomUUID } from 'node:crypto'
import type { DatabaseSync } from 'node:sqlite'
import { type CryptoKey, exportJWK, generateKeyPair, importJWK, type JWK } from 'jose'

/** The ES256 key that signs access tokens. */
export interface SigningKey {
  readonly kid: string
  readonly privateKey: CryptoKey
  readonly publicKey: CryptoKey
  /** The key in the public key set. */
  readonly publicJwk: JWK
}

/**
 * Loads the server's signing key, made at the first start. Its id is random, because clients cache key sets by host name:
 * two servers on 127.0.0.1 must not share an id.
 */
export async function loadSigningKey(database: DatabaseSync): Promise<SigningKey> {
  const stored = database.prepare('select kid, private_jwk from signing_keys').get()
  if (stored !== undefined) return importKey(String(stored.kid), JSON.parse(String(stored.private_jwk)))
  const { privateKey } = await generateKeyPair('ES256', { extractable: true })
  const kid = randomUUID()
  const jwk = await exportJWK(privateKey)
  database.prepare('insert into signing_keys (kid, private_jwk) values (?, ?)').run(kid, JSON.stringify(jwk))
  return importKey(kid, jwk)
}

async function importKey(kid: string, privateJwk: JWK): Promise<SigningKey> {
  const { d: _secret, ...publicPart } = privateJwk
  const publicJwk: JWK = { ...publicPart, alg: 'ES256', kid, use: 'sig', key_ops: ['verify'] }
  return {
    kid,
    privateKey: await importEcKey(privateJwk),
    publicKey: await importEcKey(publicJwk),
    publicJwk
  }
}

async function importEcKey(jwk: JWK): Promise<CryptoKey> {
  const key = await importJWK(jwk, 'ES256')
  if (key instanceof Uint8Array) throw new Error('The stored signing key is not an elliptic curve key.')
  return key
}
