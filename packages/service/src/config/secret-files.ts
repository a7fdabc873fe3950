import { readFileSync } from 'node:fs'

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
 * @returns the variables with the secrets in place of their `NAME_FILE`, and the problems by the secret's name. A file with a problem keeps
 * its variable, so that a second call reports it again. A problem names the variable, and no path, which may be a secret in the wrong place
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
    const found = env[name] ? { problem: `${name} is set, too. Remove one of them` } : readSecret(path)
    if ('problem' in found) {
      problems.set(name, `${fileVariable}: ${found.problem}`)
    } else {
      read[name] = found.secret
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
