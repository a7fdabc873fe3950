import { randomBytes } from 'node:crypto'
import { chmodSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { SystemError } from './system-error.ts'

/**
 * The secrets that the embedded identity and payments servers share with control, in Supabase's and Stripe's formats, and
 * control's own.
 */
export interface Secrets {
  readonly anonKey: string
  readonly serviceRoleKey: string
  /** Signs webhooks about changed users. */
  readonly identityWebhookSecret: string
  readonly stripeKey: string
  readonly webhookSecret: string
  /** Encrypts the signing secrets of webhooks in PostgreSQL. */
  readonly secretsKey: string
}

/**
 * Reads the secrets of a data directory, or creates them. Only the user who started the system can read the file.
 *
 * @throws SystemError if the file exists but is invalid: new secrets would lock a running server out
 */
export function keepSecrets(dataDir: string): Secrets {
  const path = join(dataDir, 'secrets.json')
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    return writeSecrets(path, newSecrets())
  }
  const kept = parseSecrets(text)
  if (kept === null) throw new SystemError(`${path} has no valid secrets. Remove it to create new ones.`)
  chmodSync(path, 0o600)
  // A directory of an earlier release has only some secrets.
  return names.every((name) => name in kept) ? (kept as Secrets) : writeSecrets(path, { ...newSecrets(), ...kept })
}

function newSecrets(): Secrets {
  const random = () => randomBytes(24).toString('base64url')
  return {
    anonKey: `sb_publishable_${random()}`,
    serviceRoleKey: `sb_secret_${random()}`,
    identityWebhookSecret: random(),
    stripeKey: `sk_test_${random()}`,
    webhookSecret: `whsec_${random()}`,
    secretsKey: randomBytes(32).toString('base64')
  }
}

function writeSecrets(path: string, secrets: Secrets): Secrets {
  // Written under another name and renamed, so that a crash leaves no partial file.
  writeFileSync(`${path}.new`, `${JSON.stringify(secrets, null, 2)}\n`, { mode: 0o600 })
  renameSync(`${path}.new`, path)
  return secrets
}

const names = [
  'anonKey',
  'serviceRoleKey',
  'identityWebhookSecret',
  'stripeKey',
  'webhookSecret',
  'secretsKey'
] as const

/** @returns the stored secrets; null if the file is invalid */
function parseSecrets(text: string): Partial<Secrets> | null {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return null
  }
  if (typeof value !== 'object' || value === null) return null
  const found = value as Partial<Record<(typeof names)[number], unknown>>
  if (found.anonKey === undefined || found.serviceRoleKey === undefined) return null
  const present = names.filter((name) => found[name] !== undefined)
  if (!present.every((name) => typeof found[name] === 'string')) return null
  return Object.fromEntries(present.map((name) => [name, found[name]]))
}
