import { randomBytes } from 'node:crypto'
import {
  accessSync,
  chmodSync,
  constants,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync
} from 'node:fs'
import { join } from 'node:path'
import { listProcesses } from '@tollgate/sandbox/child/list-processes.ts'
import { SystemError } from './system-error.ts'

const names = [
  'anonKey',
  'serviceRoleKey',
  'identityWebhookSecret',
  'stripeKey',
  'webhookSecret',
  'secretsKey'
] as const

/**
 * Directories of this process. In a container each start may have the same process id, so the file alone is not enough.
 */
const claimed = new Set<string>()

/** The permissions of group and others. */
const others = 0o077

/**
 * Creates a directory that only this user can open. Removes the permissions of others from an existing directory and
 * its contents. The directory itself may be a link. Links inside it are not changed or followed.
 *
 * @returns the number of files and directories that others could open, without those inside a private directory
 * @throws SystemError if the directory is not writable, or if something inside belongs to another user
 */
export function makePrivate(directory: string): number {
  try {
    mkdirSync(directory, { recursive: true, mode: 0o700 })
    accessSync(directory, constants.W_OK)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    throw new SystemError(
      `Tollgate cannot write to ${directory} (${code}). Make it writable for your user, or set TOLLGATE_DATA_DIR to a directory that is.`,
      { cause: error }
    )
  }
  return repair(realpathSync(directory), process.getuid?.() ?? null, true)
}

/**
 * @param uid null on systems without file owners
 * @param isReachable whether others can open the parent directory
 */
function repair(path: string, uid: number | null, isReachable: boolean): number {
  const entry = lstatSync(path, { throwIfNoEntry: false })
  if (entry === undefined || entry.isSymbolicLink()) return 0
  if (uid !== null && entry.uid !== uid) {
    throw new SystemError(
      `${path} belongs to another user (uid ${entry.uid}). Start as that user, or set TOLLGATE_DATA_DIR to another directory.`
    )
  }
  const isOpen = (entry.mode & others) !== 0
  if (isOpen) chmodSync(path, entry.mode & 0o777 & ~others)
  let count = isOpen && isReachable ? 1 : 0
  if (!entry.isDirectory()) return count
  for (const name of readdirSync(path)) count += repair(join(path, name), uid, isOpen && isReachable)
  return count
}

/**
 * Claims a data directory for the system of this process, with a file `running` inside it. The claim of a dead process
 * is replaced.
 *
 * @param address the address of the dashboard, for the message of a second start
 * @returns a function that gives the directory up
 * @throws SystemError if a running system uses the directory
 */
export function claimDirectory(directory: string, address: string): () => void {
  const path = join(directory, 'running')
  const other = readClaim(path)
  if (claimed.has(path) || (other !== null && other.pid !== process.pid && isRunning(other))) {
    const { pid, address: place } = other ?? { pid: process.pid, address }
    throw new SystemError(
      `Tollgate already runs with the data in ${directory}: ${place} (process ${pid}).\n` +
        `Use it, or stop it: press Ctrl-C in its terminal, or type "kill ${pid}". ` +
        'For a second system, set TOLLGATE_DATA_DIR to another directory and the ports to other ones (.env.example).'
    )
  }
  writeFileSync(path, JSON.stringify({ pid: process.pid, command: commandOf(process.pid), address }), { mode: 0o600 })
  claimed.add(path)
  return () => {
    if (!claimed.delete(path)) return
    rmSync(path, { force: true })
  }
}

interface Claim {
  readonly pid: number
  /** A later process may have the same id, but hardly the same command. */
  readonly command: string
  readonly address: string
}

/** @returns null without a valid claim */
function readClaim(path: string): Claim | null {
  try {
    const { pid, command, address } = JSON.parse(readFileSync(path, 'utf8')) as Partial<Claim>
    return Number.isSafeInteger(pid) && pid! > 0
      ? { pid: pid!, command: String(command), address: String(address) }
      : null
  } catch {
    // The file does not exist, or a crash has cut it off.
    return null
  }
}

const isRunning = ({ pid, command }: Claim): boolean => commandOf(pid) === command

/** @returns null if no such process runs */
function commandOf(pid: number): string | null {
  return listProcesses().find((one) => one.pid === pid)?.command ?? null
}

/**
 * The secrets that the embedded identity and payments servers share with control, in Supabase's and Stripe's formats,
 * and control's own.
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
  const secrets = parseSecrets(text)
  if (secrets === null) throw new SystemError(`${path} has no valid secrets. Remove it to create new ones.`)
  chmodSync(path, 0o600)
  // A directory of an earlier release has only some secrets.
  return names.every((name) => name in secrets)
    ? (secrets as Secrets)
    : writeSecrets(path, { ...newSecrets(), ...secrets })
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

/** @returns the stored secrets; null if the file is invalid */
function parseSecrets(text: string): Partial<Secrets> | null {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return null
  }
  if (typeof value !== 'object' || value === null) return null
  const fields = value as Partial<Record<(typeof names)[number], unknown>>
  if (fields.anonKey === undefined || fields.serviceRoleKey === undefined) return null
  const present = names.filter((name) => fields[name] !== undefined)
  if (!present.every((name) => typeof fields[name] === 'string')) return null
  return Object.fromEntries(present.map((name) => [name, fields[name]]))
}
