import { createPrivateKey, hash, type KeyObject, sign } from 'node:crypto'
import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** The name of the list in a package. */
export const checksumsFile = 'SHA256SUMS'

/** The name of the signature in a package. */
export const signatureFile = `${checksumsFile}.sig`

/** The files that hold the checksums and their signature. */
const withoutChecksum = new Set([checksumsFile, `${checksumsFile}.sig`])

/** The SHA-256 of each file in a folder, sorted by name, in the format that `sha256sum --check` reads. */
export function writeChecksums(folder: string): string {
  return globSync('**/*', { cwd: folder, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .filter((name) => !withoutChecksum.has(name))
    .sort()
    .map((name) => `${hash('sha256', readFileSync(join(folder, name)))}  ${name}\n`)
    .join('')
}

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
