import type { FastifyInstance } from 'fastify'

/**
 * Reads JSON bodies, and nothing else. An empty body counts as none, whatever its content type says: clients send the
 * header by habit. Whether a body is needed is for the route's schema to say.
 */
export function readJsonBodies(app: FastifyInstance): void {
  // Refuses members that would reach a prototype.
  const parse = app.getDefaultJsonParser('error', 'error')
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (request, body, done) => {
    if (body.length === 0) done(null, undefined)
    else parse(request, typeof body === 'string' ? body : body.toString('utf8'), done)
  })
}
