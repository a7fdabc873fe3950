import type { FastifyReply, FastifyRequest } from 'fastify'
import { presentsSession } from '../callers/session-cookie.ts'
import { sitePageHeaders } from '../dashboard/page-policy.ts'
import { type EncodedPage, encodePage, sendEncoded } from '../http/encoded-page.ts'
import { framePage } from './page-frame.ts'
import type { Page, SiteContext, Visitor } from './site-context.ts'

/** Browsers and proxies keep a page this long, so that a changed catalog is on it within a minute. */
export const shared = 'public, max-age=30'

/**
 * Sends a page. It is kept under its name as long as what it shows is the same object. Those with a query are not kept:
 * anybody can ask for any number of them.
 */
export type SendPage = (
  request: FastifyRequest,
  reply: FastifyReply,
  shown: object,
  name: string,
  write: (visitor: Visitor) => Page
) => Promise<FastifyReply>

/** Makes what sends the public pages of an installation, in the encoding that the browser takes. */
export function createPageSender(context: SiteContext): SendPage {
  const headers = sitePageHeaders(context.brand.logoUrl)
  const cached = createPageCache()
  return async (request, reply, shown, name, write) => {
    const visitor = { hasSession: presentsSession(request.headers.cookie) }
    const render = () => framePage(write(visitor), context, visitor)
    const page = name.includes('?')
      ? encodePage(render(), 'once')
      : cached(shown, `${visitor.hasSession} ${name}`, render)
    reply.headers(headers)
    reply.headers({
      'content-type': 'text/html; charset=utf-8',
      'cache-control': visitor.hasSession ? 'private, no-cache' : shared,
      vary: 'accept-encoding, cookie'
    })
    return sendEncoded(request, reply, page)
  }
}

/** About 10 MB of pages. */
const maxPages = 500

/**
 * Keeps rendered pages as long as what they show is the same object.
 *
 * @returns a function that gets a page, or renders it
 */
function createPageCache(): (shown: object, name: string, render: () => string) => EncodedPage {
  let pages = new Map<string, EncodedPage>()
  let ofPages: object | null = null
  return (shown, name, render) => {
    if (ofPages !== shown || pages.size >= maxPages) {
      pages = new Map()
      ofPages = shown
    }
    const page = pages.get(name) ?? encodePage(render(), 'short')
    pages.set(name, page)
    return page
  }
}
