import { readFileSync } from 'node:fs'

const codes: Readonly<Record<string, string>> = { '@': '%40', '#': '%23', '/': '%2F', '?': '%3F', ' ': '%20' }

type Variables = Readonly<Record<string, string | undefined>>

/** The variables that may be in a file: `NAME_FILE` then names the file, as Docker and Kubernetes mount secrets. */
export const secretVariables = [
  'DATABASE_URL',
  'IDENTITY_WEBHOOK_SECRET',
  'REDIS_URL',
  'SECRETS_KEY',
  'SMTP_URL',
  'STRIPE_SECRET_KEY',
  'STRIPE_WEBHOOK_SECRET',
  'SUPABASE_ANON_KEY',
  'SUPABASE_SERVICE_ROLE_KEY'
] as const

export const fileVariableOf = (name: string): string => `${name}_FILE`

/**
 * Reads the secrets that files have. The line break at a file's end does not count.
 *
 * @returns the variables with the secrets in place of their `NAME_FILE`, and the problems by the secret's name. A file
 *   with a problem keeps
 * its variable, so that a second call reports it again. A problem names the variable, and no path, which may be a
 * secret in the wrong place
 */
export function readSecretFiles(env: Variables): {
  env: Record<string, string | undefined>
  problems: ReadonlyMap<string, string>
} {
  const read = { ...env }
  const problems = new Map<string, string>()
  for (const name of secretVariables) {
    const fileVariable = fileVariableOf(name)
    const path = env[fileVariable] ?? ''
    if (path === '') continue
    const result = env[name] ? { problem: `${name} is set, too. Remove one of them` } : readSecret(path)
    if ('problem' in result) {
      problems.set(name, `${fileVariable}: ${result.problem}`)
    } else {
      read[name] = result.secret
      delete read[fileVariable]
    }
  }
  return { env: read, problems }
}

function readSecret(path: string): { secret: string } | { problem: string } {
  try {
    const secret = readFileSync(path, 'utf8').replace(/\r?\n$/, '')
    return secret === '' ? { problem: 'the file is empty' } : { secret }
  } catch (error) {
    return { problem: `the file cannot be read (${(error as NodeJS.ErrnoException).code ?? 'unknown error'})` }
  }
}

/**
 * Finds a reserved character in the user or password of a URL such as `postgres://user:p#ss@host/database`.
 *
 * @returns the problem with its cure, without any part of the URL; null without a problem
 */
export function findUnencodedPassword(url: string): string | null {
  const [, rest] = /^[a-z][a-z+]*:\/\/(.*)$/is.exec(url) ?? []
  if (rest === undefined) return null
  const [authority = ''] = /^[^/?#\s]*/.exec(rest) ?? []
  const end = rest[authority.length]
  if (authority.split('@').length > 2) return problem('@')
  if (authority.includes('@') || end === undefined) return null
  const [path = ''] = rest.slice(authority.length).split(end === '?' ? '\n' : '?')
  // `host:5432` may end here, but a password may not.
  const isPassword = path.includes('@') && /:(?!\d*$)/.test(authority)
  return isPassword || (path.includes('@') && end !== '?') ? problem(end) : null
}

const problem = (character: string): string =>
  `the user or password has an unencoded "${character}". Write ${codes[character] ?? 'it percent-encoded'} for it`

/** {@link findUnencodedPassword} for a rule of `loadConfig`. */
export function checkUrlPassword(name: string, url: string): string | null {
  const fault = findUnencodedPassword(url)
  return fault === null ? null : `${name}: ${fault}`
}

/** A rule for `loadConfig`. */
export function checkDatabaseUrl({ DATABASE_URL }: { DATABASE_URL: string }): string | null {
  const fault = checkUrlPassword('DATABASE_URL', DATABASE_URL)
  if (fault !== null) return fault
  if (DATABASE_URL.startsWith('pglite:')) return null
  return isDecodable(DATABASE_URL) ? null : 'DATABASE_URL: is not a URL. Write %25 for a % in the user or password'
}

function isDecodable(url: string): boolean {
  try {
    // Several hosts, which the driver accepts, are no URL.
    const { username, password } = new URL(url.replace(/,[^/?]*/, ''))
    decodeURIComponent(username + password)
    return true
  } catch {
    return false
  }
}
