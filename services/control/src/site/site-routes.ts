import type { DocsFacts } from '@tollgate/contracts/docs/docs-facts.ts'
import type { FastifyInstance } from 'fastify'
import type { Clock } from '../clocks/clock.ts'
import { encodePage, sendEncoded } from '../http/encoded-page.ts'
import { writeQuestions } from './default-texts.ts'
import { docsPagesRoutes, docsRoutePaths } from './docs/docs-routes.ts'
import { keepLast } from './keep-last.ts'
import { landingPage } from './landing-page.ts'
import { modelPage } from './model-page.ts'
import { modelsPage } from './models-page.ts'
import { readModelsQuery, writeModelsQuery } from './models-query.ts'
import { notFoundPage } from './not-found-page.ts'
import { createPageSender, shared } from './page-sender.ts'
import { pricingPage } from './pricing-page.ts'
import { providersPage } from './providers-page.ts'
import { questionId } from './questions.ts'
import { brandStylesheetPath, iconPath, type MadeFile } from './site-assets.ts'
import type { SiteContext } from './site-context.ts'
import { findModel, modelPath, type SiteFacts } from './site-facts.ts'
import { publicPaths, writeRobots, writeSitemap } from './site-map.ts'
import { legalPageNames } from './site-texts.ts'
import { statusPage } from './status-page.ts'
import { textPage } from './text-page.ts'

export interface SiteOptions {
  readonly context: SiteContext
  /** What the pages show now. */
  readonly readFacts: () => Promise<SiteFacts>
  /** What the docs name. */
  readonly docs: DocsFacts
  readonly clock: Clock
}

const faviconPath = '/favicon.ico'
const forEver = 'public, max-age=31536000, immutable'

/** All paths of the public pages, and of the files that control makes for them. */
export const sitePaths = [
  '/',
  '/pricing',
  '/models',
  '/models/*',
  '/providers',
  '/status',
  ...docsRoutePaths,
  ...legalPageNames.map((name) => `/${name}`),
  '/robots.txt',
  '/sitemap.xml',
  brandStylesheetPath,
  iconPath,
  faviconPath
]

/** The docs, and the other public pages. They need neither a session nor scripts, and set no cookies. */
export function siteRoutes(app: FastifyInstance, options: SiteOptions): void {
  const { context, readFacts, docs } = options
  const docsPaths = docsPagesRoutes(app, {
    docs,
    readFacts,
    send: createPageSender(context),
    isPublic: context.isPublic,
    further: (facts) => [
      ...writeQuestions(context.texts, facts, context.terms).map(({ title, markdown: words }, index) => ({
        ...{ title, group: 'Question', href: `/pricing#${questionId(index)}`, text: '' },
        words
      })),
      ...legalPageNames.flatMap((name) => {
        const text = context.texts.legal[name]
        if (text === undefined) return []
        return [{ title: text.title, group: 'Page', href: `/${name}`, text: '', words: `${name} ${text.markdown}` }]
      })
    ]
  })
  for (const file of [context.assets.brandStylesheet, context.assets.icon]) serveMadeFile(app, file)
  // Where clients look that read no page.
  app.get(faviconPath, { logLevel: 'warn' }, (_request, reply) =>
    reply
      .header('cache-control', 'public, max-age=86400')
      .redirect(context.brand.logoUrl ?? context.assets.icon.href, 302)
  )
  if (context.isPublic) sellingRoutes(app, options, docsPaths)
}

/** What is sold, at what price, and by whom. */
function sellingRoutes(
  app: FastifyInstance,
  { context, readFacts, clock }: SiteOptions,
  docsPaths: () => string[]
): void {
  const { texts, publicUrl, brand } = context
  const send = createPageSender(context)
  const options = { logLevel: 'warn' } as const
  // Kept by a sender of its own, as it shows something else: every unknown address would drop the pages of the other.
  const sendMissing = createPageSender(context)
  // Instead of the dashboard's page, which needs scripts.
  app.unknownPages.send = (request, reply) => sendMissing(request, reply.code(404), context, '', () => notFoundPage)

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
  app.get('/providers', options, async (request, reply) => {
    const facts = await readFacts()
    return send(request, reply, facts, '/providers', () => providersPage(facts))
  })
  app.get('/status', options, async (request, reply) => {
    const facts = await readFacts()
    // The page has the minute in which it was written, so it is kept as long.
    const now = clock()
    const minute = Math.floor(now.getTime() / 60_000)
    return send(request, reply, facts, `/status ${minute}`, () => statusPage(facts, now, brand.supportUrl))
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
  const siteMapOf = keepLast((facts: SiteFacts) =>
    encodePage(writeSitemap(publicPaths(facts, texts, docsPaths()), publicUrl), 'short')
  )
  app.get('/sitemap.xml', options, async (request, reply) => {
    reply.type('application/xml; charset=utf-8').header('cache-control', shared)
    return sendEncoded(request, reply, siteMapOf(await readFacts()))
  })
}

function serveMadeFile(app: FastifyInstance, { path, type, body }: MadeFile): void {
  app.get(path, { logLevel: 'warn' }, (_request, reply) => reply.type(type).header('cache-control', forEver).send(body))
}
