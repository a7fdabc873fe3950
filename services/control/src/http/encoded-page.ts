import { hash } from 'node:crypto'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import { Negotiator } from '@fastify/accept-negotiator'
import type { FastifyReply, FastifyRequest } from 'fastify'

type Encoding = 'br' | 'gzip' | 'identity'

const negotiator = new Negotiator({ supportedValues: ['br', 'gzip'] })
const [brotli, zip] = [promisify(brotliCompress), promisify(gzip)]

/** A page that has its own tag in each encoding, and is encoded when somebody first asks for it. */
export interface EncodedPage {
  etagOf(encoding: Encoding): string
  bodyOf(encoding: Encoding): Promise<Buffer>
}

/** How hard a page is compressed: Brotli's quality, and gzip's level. */
const efforts = {
  /** For one visitor. */
  once: [3, 1],
  /** For a few visitors, while one waits. The last 5 % of the size would take ten times as long. */
  short: [5, 6],
  long: [11, 9]
} as const

/** Makes a page. @param lifetime for how many visitors it is compressed */
export function encodePage(text: string, lifetime: keyof typeof efforts): EncodedPage {
  const body = Buffer.from(text)
  const digest = hash('sha256', body, 'base64url').slice(0, 16)
  const [quality, level] = efforts[lifetime]
  const encoders: Readonly<Record<Encoding, () => Promise<Buffer>>> = {
    br: () => brotli(body, { params: { [constants.BROTLI_PARAM_QUALITY]: quality } }),
    gzip: () => zip(body, { level }),
    identity: async () => body
  }
  const encoded = new Map<Encoding, Promise<Buffer>>()
  return {
    etagOf: (encoding) => `"${digest}-${encoding}"`,
    bodyOf(encoding) {
      const bytes = encoded.get(encoding) ?? encoders[encoding]()
      encoded.set(encoding, bytes)
      return bytes
    }
  }
}

/** Sends a page in the encoding that the browser takes, or 304 if it has the page and the status is 200. */
export async function sendEncoded(
  request: FastifyRequest,
  reply: FastifyReply,
  page: EncodedPage
): Promise<FastifyReply> {
  const accepted = request.headers['accept-encoding'] ?? ''
  const encoding = (negotiator.negotiate(accepted) ?? 'identity') as Encoding
  const etag = page.etagOf(encoding)
  reply.header('etag', etag)
  if (reply.statusCode === 200 && matchesTag(request.headers['if-none-match'], etag)) return reply.code(304).send()
  if (encoding !== 'identity') reply.header('content-encoding', encoding)
  return reply.send(await page.bodyOf(encoding))
}

const entityTag = /(?:W\/)?("[^"]*")/g

/**
 * Whether `If-None-Match` matches a tag, by weak comparison: a cache in between may have made a strong tag weak, and
 * may send several (RFC 9110, sections 8.8.3.2 and 13.1.2).
 *
 * @param header as received; undefined without one
 * @param tag with its quotes
 */
export function matchesTag(header: string | undefined, tag: string): boolean {
  if (header === undefined) return false
  return header.trim() === '*' || [...header.matchAll(entityTag)].some(([, opaque]) => opaque === tag)
}
