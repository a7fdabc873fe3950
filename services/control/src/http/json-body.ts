import { isUtf8 } from 'node:buffer'
import { notUtf8, refuseCharset } from '@tollgate/service/http/request-body.ts'
import type { FastifyInstance } from 'fastify'

/**
 * Reads JSON bodies, and nothing else. An empty body counts as no body, whatever its content type: clients send the header
 * by habit. The route's schema decides whether a body is required.
 */
export function readJsonBodies(app: FastifyInstance): void {
  // Refuses members that could change a prototype.
  const parse = app.getDefaultJsonParser('error', 'error')
  app.removeAllContentTypeParsers()
  app.addContentTypeParser<Buffer>('application/json', { parseAs: 'buffer' }, (request, body, done) => {
    if (body.length === 0) {
      done(null, undefined)
      return
    }
    const otherCharset = refuseCharset(request.headers['content-type'] ?? '')
    if (otherCharset !== null) done(otherCharset)
    // A lenient decoder would replace invalid UTF-8, so another text would be stored.
    else if (!isUtf8(body)) done(notUtf8())
    else parse(request, body.toString('utf8'), done)
  })
}
