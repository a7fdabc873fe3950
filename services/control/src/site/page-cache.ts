import { hash } from 'node:crypto'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import type { Encoding } from '../http/encoding.ts'

/** Pages are compressed while somebody waits: the last 5 % of the size would take ten times as long. */
const brotli = promisify(brotliCompress)
const encoders: Readonly<Record<Encoding, (body: Buffer) => Promise<Buffer>>> = {
  br: (body) => brotli(body, { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } }),
  gzip: promisify(gzip),
  identity: async (body) => body
}

/** A page as it is sent. */
export interface RenderedPage {
  etagOf(encoding: Encoding): string
  bodyOf(encoding: Encoding): Promise<Buffer>
}

/** Makes a page that is encoded when somebody first asks for it. */
export function renderPage(text: string): RenderedPage {
  const body = Buffer.from(text)
  const digest = hash('sha256', body, 'base64url').slice(0, 16)
  const encoded = new Map<Encoding, Promise<Buffer>>()
  return {
    etagOf: (encoding) => `"${digest}-${encoding}"`,
    bodyOf(encoding) {
      const bytes = encoded.get(encoding) ?? encoders[encoding](body)
      encoded.set(encoding, bytes)
      return bytes
    }
  }
}

/** About 10 MB of pages. */
const maxPages = 500

/**
 * Keeps rendered pages as long as what they show is the same object.
 *
 * @returns a function that gets a page, or renders it
 */
export function createPageCache(): (shown: object, name: string, render: () => string) => RenderedPage {
  let pages = new Map<string, RenderedPage>()
  let ofPages: object | null = null
  return (shown, name, render) => {
    if (ofPages !== shown || pages.size >= maxPages) {
      pages = new Map()
      ofPages = shown
    }
    const page = pages.get(name) ?? renderPage(render())
    pages.set(name, page)
    return page
  }
}
