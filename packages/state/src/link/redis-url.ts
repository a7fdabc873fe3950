/** The address of a server. */
export interface HostPort {
  readonly host: string
  readonly port: number
}

/** User and password for a server. */
export interface Credentials {
  /** Null for the user `default`. */
  readonly username: string | null
  readonly password: string
}

/** Paths of PEM files. */
export interface RedisTls {
  /** Trusted certificate authorities; null for those of Node.js. */
  readonly caFile: string | null
  /** The certificate for servers that ask for one. */
  readonly client: { readonly certFile: string; readonly keyFile: string } | null
}

interface Common {
  /** For the servers that have the data. */
  readonly credentials: Credentials | null
  /** Null for connections without TLS. */
  readonly tls: RedisTls | null
}

/** The parts of a `REDIS_URL`. */
export type RedisAddress =
  | (Common & { readonly form: 'single'; readonly server: HostPort; readonly database: number })
  | (Common & {
      readonly form: 'sentinel'
      readonly sentinels: readonly HostPort[]
      readonly sentinelCredentials: Credentials | null
      /** The name of the master at the Sentinels. */
      readonly master: string
      readonly database: number
    })
  | (Common & {
      readonly form: 'cluster'
      /** Some of the nodes. They tell the others. */
      readonly seeds: readonly HostPort[]
    })

/** Thrown by {@link parseRedisUrl}. The message never contains a part of the URL, which may contain passwords. */
export class RedisUrlError extends Error {
  override readonly name = 'RedisUrlError'
}

const tlsParameters = ['ssl_ca_certs', 'ssl_certfile', 'ssl_keyfile'] as const
const sentinelParameters = ['sentinel_username', 'sentinel_password'] as const
type Parameter = (typeof tlsParameters)[number] | (typeof sentinelParameters)[number]

const forms = 'redis://, rediss://, redis+sentinel://, rediss+sentinel://, redis+cluster:// or rediss+cluster://'

/**
 * Reads a `REDIS_URL`:
 *
 *     redis[s]://[[user]:password@]host[:port][/database]
 *     redis[s]+sentinel://[[user]:password@]host[:port],…/master[/database]
 *     redis[s]+cluster://[[user]:password@]host[:port],…
 *
 * `rediss` means TLS. Parameters: `ssl_ca_certs`, `ssl_certfile`, `ssl_keyfile` (paths, only with TLS, named as in
 * redis-py), `sentinel_username`, `sentinel_password`. Reserved characters in any part are percent-encoded.
 *
 * @throws RedisUrlError
 */
export function parseRedisUrl(url: string): RedisAddress {
  const [, scheme, kind, userinfo, hosts, path, query] =
    /^(rediss?)(\+sentinel|\+cluster)?:\/\/(?:([^/?]*)@)?([^/?@]*)(?:\/([^?]*))?(?:\?(.*))?$/is.exec(url) ?? []
  if (scheme === undefined || hosts === undefined) throw new RedisUrlError(`must begin with ${forms}, and name a host`)
  const isSentinel = kind?.toLowerCase() === '+sentinel'
  const isTls = scheme.toLowerCase() === 'rediss'
  const parameters = readParameters(query ?? '', isTls, isSentinel)
  const common = { credentials: readUserinfo(userinfo), tls: isTls ? tlsOf(parameters) : null }
  const parts = (path ?? '').split('/').map(decode)
  if (isSentinel) {
    const [master = '', database = '', ...more] = parts
    if (master === '' || more.length > 0)
      throw new RedisUrlError('a URL of Sentinels ends in /master or /master/database')
    const sentinelCredentials = credentialsOf(parameters.get('sentinel_username'), parameters.get('sentinel_password'))
    const sentinels = readHosts(hosts, 26_379)
    return { ...common, form: 'sentinel', sentinels, sentinelCredentials, master, database: readDatabase(database) }
  }
  if (parts.length > 1) throw new RedisUrlError('has too many parts after the hosts')
  const database = readDatabase(parts[0] ?? '')
  if (kind !== undefined) {
    if (database !== 0) throw new RedisUrlError('a Redis Cluster has only database 0')
    return { ...common, form: 'cluster', seeds: readHosts(hosts, 6379) }
  }
  const [server, ...others] = readHosts(hosts, 6379)
  if (others.length > 0) throw new RedisUrlError('several hosts need redis+sentinel:// or redis+cluster://')
  return { ...common, form: 'single', server: server!, database }
}

/** A rule for `loadConfig`. */
export function checkRedisUrl({ REDIS_URL }: { REDIS_URL: string }): string | null {
  try {
    parseRedisUrl(REDIS_URL)
    return null
  } catch (error) {
    if (error instanceof RedisUrlError) return `REDIS_URL: ${error.message}`
    throw error
  }
}

function readHosts(text: string, defaultPort: number): HostPort[] {
  return text.split(',').map((entry) => {
    const [, bracketed, name, port] = /^(?:\[([0-9a-f:.]+)\]|([^\s:[\]]+))(?::(\d{1,5}))?$/i.exec(decode(entry)) ?? []
    const host = bracketed ?? name
    if (host === undefined) throw new RedisUrlError('every host must be a name, an IPv4 address or an [IPv6 address]')
    const number = port === undefined ? defaultPort : Number(port)
    if (number < 1 || number > 65_535) throw new RedisUrlError('a port must be between 1 and 65535')
    return { host, port: number }
  })
}

function readDatabase(text: string): number {
  if (!/^\d{0,5}$/.test(text)) throw new RedisUrlError('the database must be a number')
  return Number(text)
}

function readUserinfo(userinfo: string | undefined): Credentials | null {
  if (userinfo === undefined || userinfo === '') return null
  const colon = userinfo.indexOf(':')
  if (colon === -1) throw new RedisUrlError('a user needs a password. Write :password@ for a password without a user')
  return credentialsOf(decode(userinfo.slice(0, colon)) || undefined, decode(userinfo.slice(colon + 1)))
}

function credentialsOf(username: string | undefined, password: string | undefined): Credentials | null {
  if (username === undefined && password === undefined) return null
  if (password === undefined || password === '') throw new RedisUrlError('a password is empty')
  return { username: username ?? null, password }
}

function tlsOf(parameters: ReadonlyMap<Parameter, string>): RedisTls {
  const [caFile, certFile, keyFile] = tlsParameters.map((name) => parameters.get(name))
  if ((certFile === undefined) !== (keyFile === undefined)) {
    throw new RedisUrlError('ssl_certfile and ssl_keyfile must be set together')
  }
  const client = certFile === undefined || keyFile === undefined ? null : { certFile, keyFile }
  return { caFile: caFile ?? null, client }
}

function readParameters(query: string, isTls: boolean, isSentinel: boolean): Map<Parameter, string> {
  const names: readonly Parameter[] = [...(isTls ? tlsParameters : []), ...(isSentinel ? sentinelParameters : [])]
  const parameters = new Map<Parameter, string>()
  for (const entry of query.split('&').filter((text) => text !== '')) {
    const equals = entry.indexOf('=')
    const name = names.find((one) => one === decode(entry.slice(0, Math.max(0, equals))))
    if (name === undefined) {
      throw new RedisUrlError(`has an unknown parameter. This form takes ${names.join(', ') || 'none'}`)
    }
    const value = decode(entry.slice(equals + 1))
    if (value === '' || parameters.has(name)) throw new RedisUrlError(`${name} is empty or appears twice`)
    parameters.set(name, value)
  }
  return parameters
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    throw new RedisUrlError('has a % that is not followed by two hex digits of UTF-8. Write %25 for a %')
  }
}
