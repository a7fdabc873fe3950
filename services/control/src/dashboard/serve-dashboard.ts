import { existsSync, readFileSync, realpathSync } from 'node:fs'
import { join } from 'node:path'
import { Negotiator } from '@fastify/accept-negotiator'
import fastifyStatic from '@fastify/static'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { type Encoding, makeIndexPage } from './index-page.ts'
import { namesTag } from './names-tag.ts'
import { assetsPrefix, pagePaths } from './page-paths.ts'
import { pageHeaders } from './page-policy.ts'

const negotiator = new Negotiator({ supportedValues: ['br', 'gzip'] })

/**
 * The dashboard: its page at every path that it knows, and its files, whose names change with their content, for ever.
 *
 * @param directory a build; where there is none, the pages say so
 * @param gatewayUrl the gateway's public origin
 */
export function serveDashboard(app: FastifyInstance, directory: string, gatewayUrl: string): void {
  const index = join(directory, 'index.html')
  if (!existsSync(index)) {
    serveAbsence(app)
    return
  }
  // A build that replaces this one while control runs has other files.
  const build = realpathSync(directory)
  const page = makeIndexPage(readFileSync(join(build, 'index.html'), 'utf8'), gatewayUrl)
  const headers = {
    ...pageHeaders(gatewayUrl),
    'content-type': 'text/html; charset=utf-8',
    'cache-control': 'no-cache',
    vary: 'accept-encoding'
  }
  const sendPage = (request: FastifyRequest, reply: FastifyReply) => {
    const encoding = (negotiator.negotiate(request.headers['accept-encoding'] ?? '') ?? 'identity') as Encoding
    const { body, etag } = page[encoding]
    reply.headers({ ...headers, etag })
    if (namesTag(request.headers['if-none-match'], etag)) return reply.code(304).send()
    if (encoding !== 'identity') reply.header('content-encoding', encoding)
    return reply.send(body)
  }
  for (const path of pagePaths) app.get(path, { logLevel: 'warn' }, sendPage)
  app.register(fastifyStatic, {
    root: join(build, 'assets'),
    prefix: assetsPrefix,
    decorateReply: false,
    index: false,
    preCompressed: true,
    immutable: true,
    maxAge: '365d'
  })
}

/** Everything but the pages works without them. */
function serveAbsence(app: FastifyInstance): void {
  const text = 'The dashboard has not been built. Build it with `npm run build`, and start control again.\n'
  for (const path of pagePaths) {
    app.get(path, (_request, reply) => reply.code(503).type('text/plain; charset=utf-8').send(text))
  }
}
