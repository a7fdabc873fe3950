import { hash } from 'node:crypto'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import type { DocsFacts } from '@tollgate/contracts/docs/docs-facts.ts'
import type { Brand } from '@tollgate/service/brand/brand.ts'
import { escapeHtml } from '@tollgate/service/text.ts'
import type { CaptchaSettings } from '../auth/sign-in-settings.ts'
import type { Encoding } from '../http/encoding.ts'

export interface IndexPage {
  etagOf(encoding: Encoding): string
  /** Encoded at the first call: all pages of a build together take more than a second. */
  bodyOf(encoding: Encoding): Buffer
}

const encoders: Readonly<Record<Encoding, (body: Buffer) => Buffer>> = {
  br: (body) => brotliCompressSync(body),
  gzip: (body) => gzipSync(body, { level: 9 }),
  identity: (body) => body
}

/** What control writes into the page. */
export interface PageFacts {
  /** What the docs in the first view name. The page also calls the gateway. */
  readonly docs: DocsFacts
  /** The page reads it before its first paint, so nobody sees another name or color. */
  readonly brand: Brand
  readonly signIn: {
    /** Sign-in providers, by their name at Supabase Auth and the name that people know. */
    readonly providers: ReadonlyArray<{ readonly id: string; readonly name: string }>
    readonly minPasswordLength: number
    /** Who may register. */
    readonly signup: 'open' | 'approved' | 'invited'
    /** What forms show; null: nothing. */
    readonly captcha: CaptchaSettings | null
    /** Where a trial shows all mails; null: people have their own mailbox. */
    readonly demoMailboxUrl: string | null
  }
  readonly requestLogDays: number
}

/** The part of a page that only signed-in people see. The build marks it. */
const firstView = /<!--first-view-->.*?<!--\/first-view-->/s

/** A page for strangers: without the frame of the signed-in pages. */
export const withoutFirstView = (html: string): string => html.replace(firstView, '')

/**
 * Makes the page, which has its own tag in each encoding.
 *
 * @param html the `index.html` of the build
 */
export function makeIndexPage(html: string, { docs, brand, signIn, requestLogDays }: PageFacts): IndexPage {
  const values: Record<string, string> = {
    gatewayUrl: docs.gatewayUrl,
    publicUrl: docs.publicUrl,
    brandName: docs.name,
    brandId: docs.id,
    brand: JSON.stringify(brand),
    signIn: JSON.stringify(signIn),
    captcha: JSON.stringify(signIn.captcha),
    requestLogDays: String(requestLogDays)
  }
  const body = Buffer.from(html.replaceAll(/\{\{(\w+)\}\}/g, (_, name: string) => escapeHtml(values[name] ?? '')))
  const digest = hash('sha256', body, 'base64url').slice(0, 16)
  const encoded = new Map<Encoding, Buffer>()
  return {
    etagOf: (encoding) => `"${digest}-${encoding}"`,
    bodyOf(encoding) {
      const bytes = encoded.get(encoding) ?? encoders[encoding](body)
      encoded.set(encoding, bytes)
      return bytes
    }
  }
}
