import { randomUUID } from 'node:crypto'
import type { DatabaseSync } from 'node:sqlite'
import { type CryptoKey, exportJWK, generateKeyPair, importJWK, type JWK } from 'jose'

/** The purpose of a mailed token. A user has at most one token of each kind; a new one replaces the old. */
export type TokenKind = 'confirmation' | 'recovery' | 'email_change_new' | 'email_change_current'

export interface OneTimeToken {
  userId: string
  kind: TokenKind
  /** Unix milliseconds. */
  createdMs: number
}

export interface OneTimeTokens {
  replace(userId: string, kind: TokenKind, tokenHash: string, createdMs: number): void
  /** Finds the token with this hash, if its kind is one of `kinds`. */
  find(tokenHash: string, kinds: readonly TokenKind[]): OneTimeToken | null
  remove(userId: string, kind: TokenKind): void
  removeOfUser(userId: string): void
}

export function createOneTimeTokens(database: DatabaseSync): OneTimeTokens {
  const replace = database.prepare(
    'insert or replace into one_time_tokens (user_id, kind, token_hash, created_ms) values (?, ?, ?, ?)'
  )
  const find = database.prepare('select user_id, created_ms from one_time_tokens where token_hash = ? and kind = ?')
  const remove = database.prepare('delete from one_time_tokens where user_id = ? and kind = ?')
  const removeOfUser = database.prepare('delete from one_time_tokens where user_id = ?')
  return {
    replace: (userId, kind, tokenHash, createdMs) => void replace.run(userId, kind, tokenHash, createdMs),
    find: (tokenHash, kinds) => {
      for (const kind of kinds) {
        const row = find.get(tokenHash, kind)
        if (row !== undefined) return { userId: String(row.user_id), kind, createdMs: Number(row.created_ms) }
      }
      return null
    },
    remove: (userId, kind) => void remove.run(userId, kind),
    removeOfUser: (userId) => void removeOfUser.run(userId)
  }
}

/** A finished visit to a sign-in provider, until the application exchanges its code. */
export interface SignInFlow {
  readonly userId: string
  readonly codeChallenge: string
  readonly challengeMethod: 's256' | 'plain'
  /** Unix milliseconds. */
  readonly createdMs: number
}

export interface SignInFlows {
  /** @returns the code that the application exchanges */
  add(flow: SignInFlow): string
  byCode(code: string): SignInFlow | null
  remove(code: string): void
}

/** Flows are only in memory: they last minutes, and a restart of this server ends them. */
export function createSignInFlows(): SignInFlows {
  const flows = new Map<string, SignInFlow>()
  return {
    add: (flow) => {
      const code = randomUUID()
      flows.set(code, flow)
      return code
    },
    byCode: (code) => flows.get(code) ?? null,
    remove: (code) => void flows.delete(code)
  }
}

/** The ES256 key that signs access tokens. */
export interface SigningKey {
  readonly kid: string
  readonly privateKey: CryptoKey
  readonly publicKey: CryptoKey
  /** The key in the public key set. */
  readonly publicJwk: JWK
}

/**
 * Loads the server's signing key, made at the first start. Its id is random, because clients cache key sets by host
 * name: two servers on 127.0.0.1 must not share an id.
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
