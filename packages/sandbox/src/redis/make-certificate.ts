import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import type { TlsFiles } from './redis-access.ts'

/**
 * Makes a self-signed certificate for servers on this machine (`127.0.0.1`, `localhost`). It expires after a day.
 *
 * @param directory an existing directory, which gets `certificate.pem` and `key.pem`
 * @returns null if OpenSSL is not installed
 */
export function makeCertificate(directory: string): TlsFiles | null {
  const certFile = join(directory, 'certificate.pem')
  const keyFile = join(directory, 'key.pem')
  const subject = ['-subj', '/CN=Tollgate test', '-addext', 'subjectAltName=IP:127.0.0.1,DNS:localhost']
  const algorithm = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes']
  const files = ['-keyout', keyFile, '-out', certFile]
  try {
    execFileSync('openssl', ['req', '-x509', '-days', '1', ...algorithm, ...subject, ...files], { stdio: 'pipe' })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw error
  }
  return { caFile: certFile, certFile, keyFile }
}
