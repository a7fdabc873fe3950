import { hash } from 'node:crypto'
import { brotliCompressSync, gzipSync } from 'node:zlib'

export type Encoding = 'br' | 'gzip' | 'identity'

export type IndexPage = Readonly<Record<Encoding, { readonly body: Buffer; readonly etag: string }>>

/**
 * Makes the page in every encoding, each with its own tag.
 *
 * @param html the `index.html` of the build
 * @param gatewayUrl the gateway's public origin, which the page shows and calls
 */
export function makeIndexPage(html: string, gatewayUrl: string): IndexPage {
  // An origin has no characters that HTML would interpret.
  const body = Buffer.from(html.replaceAll('{{gatewayUrl}}', gatewayUrl))
  const digest = hash('sha256', body, 'base64url').slice(0, 16)
  const as = (encoding: Encoding, encoded: Buffer) => ({ body: encoded, etag: `"${digest}-${encoding}"` })
  return {
    br: as('br', brotliCompressSync(body)),
    gzip: as('gzip', gzipSync(body, { level: 9 })),
    identity: as('identity', body)
  }
}
