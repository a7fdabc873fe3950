import { randomBytes } from 'node:crypto'
import { chmodSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { SystemError } from './system-error.ts'

/** The API keys of the sandbox identity server, in the form that Supabase gives them. */
export interface Secrets {
  readonly anonKey: string
  readonly serviceRoleKey: string
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
    return createSecrets(path)
  }
  const secrets = parseSecrets(text)
  if (secrets === null)
    throw new SystemError(`${path} does not hold the secrets of this directory. Remove it to get new ones.`)
  chmodSync(path, 0o600)
  return secrets
}

function createSecrets(path: string): Secrets {
  const random = () => randomBytes(24).toString('base64url')
  const secrets = { anonKey: `sb_publishable_${random()}`, serviceRoleKey: `sb_secret_${random()}` }
  // Through another name, so that a crash leaves either no file or a whole one.
  writeFileSync(`${path}.new`, `${JSON.stringify(secrets, null, 2)}\n`, { mode: 0o600 })
  renameSync(`${path}.new`, path)
  return secrets
}

function parseSecrets(text: string): Secrets | null {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return null
  }
  if (typeof value !== 'object' || value === null) return null
  const { anonKey, serviceRoleKey } = value as Record<string, unknown>
  if (typeof anonKey !== 'string' || typeof serviceRoleKey !== 'string') return null
  return { anonKey, serviceRoleKey }
}
