import { isUtf8 } from 'node:buffer'
import { ServiceError } from '@tollgate/contracts/errors/service-error.ts'
import type { FastifyInstance } from 'fastify'

/**
 * Reads JSON bodies, and nothing else. An empty body counts as none, whatever its content type says: clients send the
 * header by habit. Whether a body is needed is for the route's schema to say.
 */
export function readJsonBodies(app: FastifyInstance): void {
  // Refuses members that would reach a prototype.
  const parse = app.getDefaultJsonParser('error', 'error')
  app.removeAllContentTypeParsers()
  app.addContentTypeParser<Buffer>('application/json', { parseAs: 'buffer' }, (request, body, done) => {
    if (body.length === 0) done(null, undefined)
    // Read leniently, what is not UTF-8 would be replaced, and stored, as another text.
    else if (!isUtf8(body)) done(new ServiceError('invalid_json'))
    else parse(request, body.toString('utf8'), done)
  })
}
