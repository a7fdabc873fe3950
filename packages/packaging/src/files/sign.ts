import { createPrivateKey, type KeyObject, sign } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { checksumsFile } from './checksums.ts'

/** The name of the signature in a package. */
export const signatureFile = `${checksumsFile}.sig`

/**
 * Reads the key that signs packages.
 *
 * @param file an Ed25519 private key in PEM, such as `openssl genpkey -algorithm ed25519` makes
 * @throws Error if the file has no such key
 */
export function readSigningKey(file: string): KeyObject {
  const help = 'Make one with: openssl genpkey -algorithm ed25519 -out FILE'
  let key: KeyObject
  try {
    key = createPrivateKey(readFileSync(file))
  } catch (cause) {
    throw new Error(`${file} is not a private key in PEM without a passphrase. ${help}`, { cause })
  }
  if (key.asymmetricKeyType === 'ed25519') return key
  throw new Error(`${file} has a key of another kind than Ed25519. ${help}`)
}

/** Signs the checksums of a package, and so all its files: 64 bytes of Ed25519 (RFC 8032) beside them. */
export function signPackage(folder: string, key: KeyObject): void {
  writeFileSync(join(folder, signatureFile), sign(null, readFileSync(join(folder, checksumsFile)), key))
}
