const codes: Readonly<Record<string, string>> = { '@': '%40', '#': '%23', '/': '%2F', '?': '%3F', ' ': '%20' }

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
  const found = findUnencodedPassword(url)
  return found === null ? null : `${name}: ${found}`
}

/** A rule for `loadConfig`. */
export function checkDatabaseUrl({ DATABASE_URL }: { DATABASE_URL: string }): string | null {
  const found = checkUrlPassword('DATABASE_URL', DATABASE_URL)
  if (found !== null) return found
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
