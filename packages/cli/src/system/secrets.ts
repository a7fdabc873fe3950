import { randomBytes } from 'node:crypto'
import { chmodSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { SystemError } from './system-error.ts'

/** What the sandbox servers for identity and payments share with control, in the form that Supabase and Stripe give it. */
export interface Secrets {
  readonly anonKey: string
  readonly serviceRoleKey: string
  /** Of the reports of changed users. */
  readonly identityWebhookSecret: string
  readonly stripeKey: string
  readonly webhookSecret: string
}

/**
 * The secrets of a data directory: those of the last start, or new ones. Only the user who started the system can read
 * the file.
 *
 * @throws SystemError when the file is there but does not hold them: new ones would lock a running server out
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
  if (kept === null)
    throw new SystemError(`${path} does not hold the secrets of this directory. Remove it to get new ones.`)
  chmodSync(path, 0o600)
  // A directory of an earlier release has some of them.
  return names.every((name) => name in kept) ? (kept as Secrets) : writeSecrets(path, { ...newSecrets(), ...kept })
}

function newSecrets(): Secrets {
  const random = () => randomBytes(24).toString('base64url')
  return {
    anonKey: `sb_publishable_${random()}`,
    serviceRoleKey: `sb_secret_${random()}`,
    identityWebhookSecret: random(),
    stripeKey: `sk_test_${random()}`,
    webhookSecret: `whsec_${random()}`
  }
}

function writeSecrets(path: string, secrets: Secrets): Secrets {
  // Through another name, so that a crash leaves either no file or a whole one.
  writeFileSync(`${path}.new`, `${JSON.stringify(secrets, null, 2)}\n`, { mode: 0o600 })
  renameSync(`${path}.new`, path)
  return secrets
}

const names = ['anonKey', 'serviceRoleKey', 'identityWebhookSecret', 'stripeKey', 'webhookSecret'] as const

/** @returns those that are there; null if it is no file of ours */
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
