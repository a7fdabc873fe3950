/** Why a server gave no answer. */
export interface Failure {
  readonly kind: 'unknown_host' | 'refused' | 'timeout' | 'tls' | 'other'
  /** The code of Node.js or OpenSSL, such as ECONNREFUSED. */
  readonly code: string
}

const kinds: ReadonlyArray<readonly [pattern: RegExp, kind: Failure['kind']]> = [
  [/^(ENOTFOUND|EAI_AGAIN|EAI_NONAME)$/, 'unknown_host'],
  [/^(ECONNREFUSED|EHOSTUNREACH|ENETUNREACH)$/, 'refused'],
  [
    /^(ETIMEDOUT|CONNECT_TIMEOUT|UND_ERR_CONNECT_TIMEOUT|UND_ERR_HEADERS_TIMEOUT|ABORT_ERR|TimeoutError|AbortError)$/,
    'timeout'
  ],
  [/CERT|SELF_SIGNED|^ERR_TLS|^ERR_SSL|^EPROTO$|UNABLE_TO_VERIFY/, 'tls']
]

/** Reads why a connection failed, also from an error inside the error. */
export function failureOf(error: unknown): Failure {
  for (const one of causesOf(error)) {
    const { code, name } = one as { code?: unknown; name?: unknown }
    for (const text of [code, name]) {
      const found = typeof text === 'string' && kinds.find(([pattern]) => pattern.test(text))
      if (found) return { kind: found[1], code: text as string }
    }
  }
  const { code, name } = (error ?? {}) as { code?: unknown; name?: unknown }
  return { kind: 'other', code: String(code ?? name ?? 'unknown error') }
}

/** An error and those inside it, outermost first. */
function causesOf(error: unknown): unknown[] {
  if (typeof error !== 'object' || error === null) return []
  const { cause, errors } = error as { cause?: unknown; errors?: unknown }
  return [
    error,
    ...(Array.isArray(errors) ? errors.flatMap(causesOf) : []),
    ...(cause === error ? [] : causesOf(cause))
  ]
}

/** A sentence about a failure. @param server the subject, such as `Redis at cache:6379` */
export function describeFailure(server: string, { kind, code }: Failure): string {
  switch (kind) {
    case 'unknown_host':
      return `${server}: the host name is unknown (${code}).`
    case 'refused':
      return `${server} accepts no connection (${code}).`
    case 'timeout':
      return `${server} did not answer in time.`
    case 'tls':
      return `${server}: the TLS connection failed (${code}).`
    case 'other':
      return `${server}: the connection failed (${code}).`
  }
}

/** What to do about a failure. @param variable the setting with the address */
export function cureFailure(variable: string, { kind }: Failure): string {
  switch (kind) {
    case 'unknown_host':
      return `Correct the host name in ${variable}.`
    case 'refused':
      return `Start the server, or correct host and port in ${variable}.`
    case 'timeout':
      return `Open the firewall between this machine and the server, or correct the address in ${variable}.`
    case 'tls':
      return `Use a certificate that is valid for the host in ${variable}, or name its authority (NODE_EXTRA_CA_CERTS=ca.pem).`
    case 'other':
      return `Check ${variable}, and the log of the server.`
  }
}
