/** Absolute paths of PEM files. */
export interface TlsFiles {
  /** The certificate of the authority. */
  readonly caFile: string
  readonly certFile: string
  readonly keyFile: string
}

/** The password and TLS files of a server. */
export interface RedisAccess {
  /** Password of the user `default`. */
  readonly password?: string | undefined
  /** If given, the server accepts TLS only. Clients need no certificate. */
  readonly tls?: TlsFiles | undefined
}

/** The start of a `REDIS_URL` up to the host. */
export function urlStart(form: '' | '+sentinel' | '+cluster', { password, tls }: RedisAccess): string {
  const credentials = password === undefined ? '' : `:${encodeURIComponent(password)}@`
  return `${tls === undefined ? 'redis' : 'rediss'}${form}://${credentials}`
}

/** The parameters of a `REDIS_URL`. Undefined ones are left out. */
export function urlParameters(parameters: Readonly<Record<string, string | undefined>>): string {
  const given = Object.entries(parameters).filter((entry): entry is [string, string] => entry[1] !== undefined)
  return given.length === 0 ? '' : `?${new URLSearchParams(given)}`
}

/** The arguments that make a server or Sentinel require this access. */
export function accessArguments(port: number, { password, tls }: RedisAccess): string[] {
  const secret = password === undefined ? [] : ['--requirepass', password]
  if (tls === undefined) return ['--port', String(port), ...secret]
  return [
    ...['--port', '0', '--tls-port', String(port), '--tls-auth-clients', 'no'],
    ...['--tls-cert-file', tls.certFile, '--tls-key-file', tls.keyFile, '--tls-ca-cert-file', tls.caFile],
    ...['--tls-replication', 'yes', '--tls-cluster', 'yes'],
    ...secret
  ]
}
