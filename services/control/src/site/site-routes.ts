import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { presentsSession } from '../callers/session-cookie.ts'
import { sitePageHeaders } from '../dashboard/page-policy.ts'
import { chooseEncoding } from '../http/encoding.ts'
import { matchesTag } from '../http/entity-tags.ts'
import { landingPage } from './landing-page.ts'
import { modelPage } from './model-page.ts'
import { modelsPage } from './models-page.ts'
import { readModelsQuery, writeModelsQuery } from './models-query.ts'
import { createPageCache, type RenderedPage, renderPage } from './page-cache.ts'
import { framePage } from './page-frame.ts'
import { pricingPage } from './pricing-page.ts'
import { brandStylesheetPath, iconPath, type MadeFile } from './site-assets.ts'
import type { Page, SiteContext, Visitor } from './site-context.ts'
import { findModel, modelPath, type SiteFacts } from './site-facts.ts'
import { publicPaths, writeRobots, writeSitemap } from './site-map.ts'
import { legalPageNames } from './site-texts.ts'
import { textPage } from './text-page.ts'

export interface SiteOptions {
  readonly context: SiteContext
  /** What the pages show now. */
  readonly readFacts: () => Promise<SiteFacts>
}

/** Browsers and proxies keep a page this long, so that a changed catalog is on it within a minute. */
const shared = 'public, max-age=30'
const forEver = 'public, max-age=31536000, immutable'

/** All paths of the public pages, and of the files that control makes for them. */
export const sitePaths = [
  '/',
  '/pricing',
  '/models',
  '/models/*',
  ...legalPageNames.map((name) => `/${name}`),
  '/robots.txt',
  '/sitemap.xml',
  brandStylesheetPath,
  iconPath
]

/** The public pages, which need neither a session nor scripts. They set no cookies. */
export function siteRoutes(app: FastifyInstance, { context, readFacts }: SiteOptions): void {
  const { texts, publicUrl, brand, assets } = context
  const headers = sitePageHeaders(brand.logoUrl)
  const cached = createPageCache()
  const options = { logLevel: 'warn' } as const

  /** Sends a page. Those with a query are not kept: anybody can ask for any number of them. */
  const send = async (
    request: FastifyRequest,
    reply: FastifyReply,
    facts: SiteFacts,
    name: string,
    write: (visitor: Visitor) => Page
  ) => {
    const visitor = { hasSession: presentsSession(request.headers.cookie) }
    const render = () => framePage(write(visitor), context, visitor)
    const page = name.includes('?') ? renderPage(render()) : cached(facts, `${visitor.hasSession} ${name}`, render)
    reply.headers(headers)
    reply.headers({
      'content-type': 'text/html; charset=utf-8',
      'cache-control': visitor.hasSession ? 'private, no-cache' : shared,
      vary: 'accept-encoding, cookie'
    })
    return sendRendered(request, reply, page)
  }

  app.get('/', options, async (request, reply) => {
    const facts = await readFacts()
    return send(request, reply, facts, '/', (visitor) => landingPage(facts, context, visitor))
  })
  app.get('/pricing', options, async (request, reply) => {
    const facts = await readFacts()
    return send(request, reply, facts, '/pricing', (visitor) => pricingPage(facts, context, visitor))
  })
  app.get<{ Querystring: Record<string, unknown> }>('/models', options, async (request, reply) => {
    const facts = await readFacts()
    const query = readModelsQuery(request.query, facts)
    return send(request, reply, facts, `/models${writeModelsQuery(query)}`, () => modelsPage(facts, query))
  })
  app.get<{ Params: { '*': string } }>('/models/*', options, async (request, reply) => {
    const facts = await readFacts()
    const id = request.params['*']
    const model = findModel(facts, id)
    if (model !== null) {
      return send(request, reply, facts, modelPath(id), (visitor) => modelPage(model, facts, context, visitor))
    }
    const meant = facts.models.find(({ aliases }) => aliases.includes(id))
    return meant === undefined ? reply.callNotFound() : reply.redirect(modelPath(meant.id), 302)
  })
  for (const name of legalPageNames) {
    const text = texts.legal[name]
    if (text === undefined) continue
    app.get(`/${name}`, options, async (request, reply) =>
      send(request, reply, await readFacts(), `/${name}`, () => textPage(`/${name}`, text, brand.name))
    )
  }
  app.get('/robots.txt', options, (_request, reply) =>
    reply.type('text/plain; charset=utf-8').header('cache-control', shared).send(writeRobots(publicUrl))
  )
  app.get('/sitemap.xml', options, async (_request, reply) => {
    const paths = publicPaths(await readFacts(), texts)
    return reply
      .type('application/xml; charset=utf-8')
      .header('cache-control', shared)
      .send(writeSitemap(paths, publicUrl))
  })
  for (const file of [assets.brandStylesheet, assets.icon]) serveMadeFile(app, file)
}

async function sendRendered(request: FastifyRequest, reply: FastifyReply, page: RenderedPage): Promise<FastifyReply> {
  const encoding = chooseEncoding(request.headers['accept-encoding'])
  const etag = page.etagOf(encoding)
  reply.header('etag', etag)
  if (matchesTag(request.headers['if-none-match'], etag)) return reply.code(304).send()
  if (encoding !== 'identity') reply.header('content-encoding', encoding)
  return reply.send(await page.bodyOf(encoding))
}

function serveMadeFile(app: FastifyInstance, { path, type, body }: MadeFile): void {
  app.get(path, { logLevel: 'warn' }, (_request, reply) => reply.type(type).header('cache-control', forEver).send(body))
}
