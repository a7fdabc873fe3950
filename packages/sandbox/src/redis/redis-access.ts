/** Files of PEM text, by absolute path. */
export interface TlsFiles {
  /** Who signed the certificate. */
  readonly caFile: string
  readonly certFile: string
  readonly keyFile: string
}

/** What a client needs to be let in. */
export interface RedisAccess {
  /** Of the user `default`. */
  readonly password?: string | undefined
  /** The server then speaks TLS only. Clients need no certificate. */
  readonly tls?: TlsFiles | undefined
}

/** The start of a `REDIS_URL` up to the host. */
export function urlStart(form: '' | '+sentinel' | '+cluster', { password, tls }: RedisAccess): string {
  const credentials = password === undefined ? '' : `:${encodeURIComponent(password)}@`
  return `${tls === undefined ? 'redis' : 'rediss'}${form}://${credentials}`
}

/** Its parameters. */
export function urlParameters(parameters: Readonly<Record<string, string | undefined>>): string {
  const given = Object.entries(parameters).filter((entry): entry is [string, string] => entry[1] !== undefined)
  return given.length === 0 ? '' : `?${new URLSearchParams(given)}`
}

/** The arguments that make a server of any kind ask for this access. */
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
