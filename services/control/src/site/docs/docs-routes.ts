import type { DocsFacts } from '@tollgate/contracts/docs/docs-facts.ts'
import { docsPages } from '@tollgate/contracts/docs/docs-pages.ts'
import { createSearch, type Found } from '@tollgate/contracts/docs/search-docs.ts'
import type { OpenApiDocument } from '@tollgate/contracts/openapi/document.ts'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { encodePage, sendEncoded } from '../../http/encoded-page.ts'
import { ownGatewayDocument } from '../../openapi/docs-routes.ts'
import { html } from '../html.ts'
import { keepLast, once } from '../keep-last.ts'
import { type SendPage, shared } from '../page-sender.ts'
import type { SiteFacts } from '../site-facts.ts'
import { type DocsContent, guidePath, layOut } from './docs-layout.ts'
import { indexDocs } from './docs-search.ts'
import { type ExampleModels, exampleModels, type Guide, writeGuides } from './docs-text.ts'
import { describeError, errorCodes, errorPath, isErrorCode, listErrors, writeErrorPage } from './error-pages.ts'
import { arrangeReference, type Reference, type ReferenceApi } from './reference.ts'
import { operationPage, operatorsIndex, referenceIndex } from './reference-pages.ts'

export interface DocsOptions {
  readonly docs: DocsFacts
  readonly readFacts: () => Promise<SiteFacts>
  readonly send: SendPage
  /** Whether there are pages besides the docs, which the search finds, too. */
  readonly isPublic: boolean
  /** What the search finds besides: questions with their answers, and the operator's pages about law. */
  readonly further: (facts: SiteFacts) => readonly Found[]
}

/** Where earlier releases had pages, and where they are now. */
const moved: Readonly<Record<string, string>> = {
  '/api/reference': '/docs/api',
  '/dashboard/docs': '/docs',
  '/dashboard/docs/api': '/docs/api',
  ...Object.fromEntries(Object.keys(docsPages).map((name) => [`/dashboard/docs/${name}`, guidePath(name)]))
}

/** The paths of all pages of the docs. */
export const docsRoutePaths = [
  ...Object.keys(docsPages).map(guidePath),
  '/docs/errors/:code',
  '/docs/api',
  '/docs/api/operators',
  '/docs/api/:api/:operation',
  '/docs/search',
  '/docs/search.json',
  ...Object.keys(moved)
]

/** How many places the page of a search shows. */
const maxFound = 50

const options = { logLevel: 'warn' } as const

/**
 * The docs: guides, a page for each error and each call of the APIs, and their search.
 *
 * @returns the addresses of all pages, once the routes of the API are there
 */
export function docsPagesRoutes(
  app: FastifyInstance,
  { docs, readFacts, send, isPublic, further }: DocsOptions
): () => string[] {
  const apis = once(() => describeApis(docs, app.swagger() as OpenApiDocument))
  const reference = once(() => arrangeReference(apis()))
  const guidesOf = writeGuidesOnce(docs)
  const indexOf = keepLast((facts: SiteFacts) =>
    indexDocs(guidesOf(facts).guides, reference(), isPublic ? facts : null, isPublic ? further(facts) : [])
  )
  const searchOf = keepLast((facts: SiteFacts) => createSearch(indexOf(facts)))

  /** @param path the page's own address: one page can be asked for by any number of spellings */
  const sendContent = async (
    request: FastifyRequest,
    reply: FastifyReply,
    path: string,
    write: (written: Written) => DocsContent
  ) => {
    const facts = await readFacts()
    // The pages stay as long as the guides do, whatever gateways measure.
    const written = guidesOf(facts)
    return send(request, reply, written, path, (visitor) => layOut(write(written), written.guides, visitor))
  }
  for (const name of Object.keys(docsPages)) {
    const path = guidePath(name)
    app.get(path, options, (request, reply) =>
      sendContent(request, reply, path, ({ guides }) =>
        guideContent(guides.find((guide) => guide.name === name)!, reference())
      )
    )
  }
  app.get<{ Params: { code: string } }>('/docs/errors/:code', options, async (request, reply) => {
    const { code } = request.params
    if (!isErrorCode(code)) return reply.callNotFound()
    const path = errorPath(code)
    return sendContent(request, reply, path, () => ({
      path,
      title: code,
      description: describeError(code),
      body: writeErrorPage(code, reference(), { docsUrl: `${docs.publicUrl}/docs`, isPublic })
    }))
  })
  app.get('/docs/api', options, (request, reply) =>
    sendContent(request, reply, '/docs/api', () => referenceIndex(reference(), apis()))
  )
  app.get('/docs/api/operators', options, (request, reply) =>
    sendContent(request, reply, '/docs/api/operators', () => operatorsIndex(reference()))
  )
  for (const [path, target] of Object.entries(moved)) {
    app.get(path, options, (_request, reply) => reply.redirect(target, 301))
  }
  app.get<{ Params: { api: string; operation: string } }>(
    '/docs/api/:api/:operation',
    options,
    async (request, reply) => {
      const { api, operation } = request.params
      const found = reference().byAddress.get(`/docs/api/${api}/${operation}`)
      if (found === undefined) return reply.callNotFound()
      return sendContent(request, reply, found.href, ({ models }) => operationPage(found, reference(), models))
    }
  )
  app.get<{ Querystring: { q?: unknown } }>('/docs/search', options, async (request, reply) => {
    const facts = await readFacts()
    const words = String(request.query.q ?? '').slice(0, 100)
    const found = searchOf(facts)(words, maxFound)
    const { guides } = guidesOf(facts)
    return send(request, reply, guides, `/docs/search?q=${words}`, (visitor) =>
      layOut(searchContent(words, found), guides, visitor)
    )
  })
  const indexFileOf = keepLast((facts: SiteFacts) => encodePage(JSON.stringify(indexOf(facts)), 'short'))
  app.get('/docs/search.json', options, async (request, reply) => {
    reply.type('application/json; charset=utf-8').header('cache-control', shared)
    return sendEncoded(request, reply, indexFileOf(await readFacts()))
  })
  return () => [
    ...Object.keys(docsPages).map(guidePath),
    '/docs/api',
    ...reference().groups.flatMap(({ operations }) => operations.map(({ href }) => href)),
    ...errorCodes.map(errorPath)
  ]
}

function describeApis(docs: DocsFacts, account: OpenApiDocument): ReferenceApi[] {
  return [
    {
      id: 'models',
      title: 'Inference',
      summary: 'Calls models, with an API key.',
      origin: docs.gatewayUrl,
      documentPath: '/api/docs/gateway.json',
      document: ownGatewayDocument(docs)
    },
    {
      id: 'account',
      title: 'Account',
      summary: 'Keys, usage, billing and webhooks, with a session or a management key.',
      origin: docs.publicUrl,
      documentPath: '/api/openapi.json',
      document: account
    }
  ]
}

const guideContent = ({ name, title, summary, body, sections }: Guide, reference: Reference): DocsContent => ({
  path: guidePath(name),
  title,
  description: summary,
  sections,
  body: name === 'errors' ? html`${body}${listErrors(reference)}` : body
})

function searchContent(words: string, found: readonly Found[]): DocsContent {
  const title = words === '' ? 'Search' : `Search for “${words}”`
  return {
    path: '/docs/search',
    title,
    description: 'Search the docs, the API reference, errors and models.',
    searched: words,
    body:
      found.length === 0
        ? html`<p>${words === '' ? 'Type what you look for.' : 'Nothing has all of these words. Try fewer or other words.'}</p>`
        : html`<ul>${found.map(
            ({ href, title, group, text }) =>
              html`<li><a href="${href}">${title}</a><span class="block text-sm text-ink-soft">${group}${text !== '' && ` · ${text}`}</span></li>`
          )}</ul>`
  }
}

interface Written {
  readonly models: ExampleModels
  readonly guides: readonly Guide[]
}

/** Writes the guides, and again only for other models in their examples. */
function writeGuidesOnce(docs: DocsFacts): (facts: SiteFacts) => Written {
  let last: { readonly text: string; readonly written: Written } | null = null
  return (facts) => {
    const models = exampleModels(facts)
    const text = JSON.stringify(models)
    if (last?.text !== text) last = { text, written: { models, guides: writeGuides(docs, models) } }
    return last.written
  }
}
