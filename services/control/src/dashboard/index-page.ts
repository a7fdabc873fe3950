import { hash } from 'node:crypto'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import type { Brand } from '../brand/brand.ts'
import { escapeHtml } from '../http/escape-html.ts'

export type Encoding = 'br' | 'gzip' | 'identity'

export type IndexPage = Readonly<Record<Encoding, { readonly body: Buffer; readonly etag: string }>>

/**
 * Makes the page in every encoding, each with its own tag.
 *
 * @param html the `index.html` of the build
 * @param gatewayUrl the gateway's public origin, which the page shows and calls
 * @param brand the page reads it before its first paint, so nobody sees another name or color
 */
export function makeIndexPage(html: string, gatewayUrl: string, brand: Brand): IndexPage {
  const values: Record<string, string> = { gatewayUrl, brandName: brand.name, brand: JSON.stringify(brand) }
  const body = Buffer.from(html.replaceAll(/\{\{(\w+)\}\}/g, (_, name: string) => escapeHtml(values[name] ?? '')))
  const digest = hash('sha256', body, 'base64url').slice(0, 16)
  const as = (encoding: Encoding, encoded: Buffer) => ({ body: encoded, etag: `"${digest}-${encoding}"` })
  return {
    br: as('br', brotliCompressSync(body)),
    gzip: as('gzip', gzipSync(body, { level: 9 })),
    identity: as('identity', body)
  }
}
