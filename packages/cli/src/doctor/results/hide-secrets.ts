import type { Result } from './result.ts'

/** Shorter values would also hide parts of ordinary words. */
const minLength = 8
const shownLength = 4

const secretName = /(KEY|SECRET|PASSWORD|TOKEN|CREDENTIAL)/

/**
 * Lists the values that nobody may see: of variables whose names say so, of credentials, and the passwords of URLs.
 *
 * @param credentialNames further variables with credentials
 */
export function listSecrets(
  env: Readonly<Record<string, string | undefined>>,
  credentialNames: readonly string[]
): string[] {
  const secrets = new Set<string>()
  for (const [name, value] of Object.entries(env)) {
    if (value === undefined) continue
    if (secretName.test(name) || credentialNames.includes(name))
      for (const part of value.split(',')) secrets.add(part.trim())
    for (const password of passwordsOf(value)) secrets.add(password)
  }
  return [...secrets].filter((secret) => secret.length >= minLength).toSorted((a, b) => b.length - a.length)
}

/** Passwords in the user part and in parameters of a URL, as written and decoded. */
function passwordsOf(value: string): string[] {
  const userinfo = /^[a-z][a-z0-9+.-]*:\/\/([^/?#]*)@/i.exec(value)?.[1]
  const password = userinfo?.includes(':') === true ? userinfo.slice(userinfo.indexOf(':') + 1) : undefined
  const parameters = [...value.matchAll(/[?&](?:[a-z_]*password|api[-_]?key|key|token)=([^&#]+)/gi)].map(
    ([, text]) => text!
  )
  return [...(password === undefined ? [] : [password]), ...parameters].flatMap((text) => [text, decode(text)])
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/**
 * Replaces secrets, and user parts of any URL, in a text. Of a secret the first four characters remain. Examples in our own
 * texts (`user:password@`) stay.
 */
export function hideSecrets(text: string, secrets: readonly string[]): string {
  const hidden = secrets.reduce((before, secret) => before.replaceAll(secret, mask(secret)), text)
  return hidden.replaceAll(/\b([a-z][a-z0-9+.-]*:\/\/)(?!(?:user)?:password@)[^\s/?#@]*@/gi, '$1…@')
}

/** Of a short secret nothing remains. */
export const mask = (secret: string): string =>
  secret.length < 3 * shownLength ? '…' : `${secret.slice(0, shownLength)}…`

/** {@link hideSecrets} in every text of a result. */
export function withoutSecrets<One extends Result>(result: One, secrets: readonly string[]): One {
  const entries = Object.entries(result).map(([name, value]) => [
    name,
    ['what', 'why', 'fix'].includes(name) ? hideSecrets(String(value), secrets) : value
  ])
  return Object.fromEntries(entries) as One
}
