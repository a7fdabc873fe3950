import { readFileSync } from 'node:fs'
import type { ConnectionOptions } from 'node:tls'
import type { RedisTls } from './redis-url.ts'

/**
 * Reads the certificate files that a `REDIS_URL` names, as options for TLS.
 *
 * @throws Error naming the variable and the file if a file cannot be read
 */
export function readTls({ caFile, client }: RedisTls): ConnectionOptions {
  return {
    ...(caFile !== null && { ca: readPem('ssl_ca_certs', caFile) }),
    ...(client !== null && {
      cert: readPem('ssl_certfile', client.certFile),
      key: readPem('ssl_keyfile', client.keyFile)
    })
  }
}

function readPem(parameter: string, path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException
    throw new Error(`REDIS_URL: ${parameter}: ${path} cannot be read (${code})`, { cause })
  }
}
