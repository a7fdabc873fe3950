import { existsSync, readFileSync, realpathSync } from 'node:fs'
import { join } from 'node:path'
import fastifyStatic from '@fastify/static'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { presentsSession } from '../callers/session-cookie.ts'
import { sendEncoded } from '../http/encoded-page.ts'
import { makeIndexPage, type PageFacts, withoutFirstView } from './index-page.ts'
import { captchaHeaders, pageHeaders } from './page-policy.ts'

/** The CAPTCHA, which forms frame. Only served if the operator has one. */
export const captchaPath = '/captcha'

/** All paths that serve a page of the dashboard. The page itself decides what it shows there. */
export const pagePaths = [
  '/',
  '/login',
  '/register',
  '/forgot-password',
  '/confirm',
  '/reset-password',
  '/goodbye',
  '/accept-invitation',
  '/signed-in',
  '/invitations/:token',
  '/dashboard',
  '/dashboard/*'
] as const

export const assetsPrefix = '/assets/'

/** The file of each address. The first that matches counts. */
type PageFiles = ReadonlyArray<readonly [address: RegExp, file: string]>

/**
 * Reads which HTML file of a build has the page of an address. The files differ in their first view, and in what they
 * tell the browser to load at once.
 *
 * @param build a build of the dashboard
 */
function readPageFiles(build: string): PageFiles {
  const index = join(build, 'pages.json')
  if (!existsSync(index)) return []
  const files = JSON.parse(readFileSync(index, 'utf8')) as Record<string, string>
  return Object.entries(files).map(([address, file]) => [patternOf(address), file])
}

/** The file of a path. Unknown paths get the one that loads least; the page itself says that there is nothing. */
function fileOf(files: PageFiles, path: string): string {
  return files.find(([address]) => address.test(path))?.[1] ?? 'index.html'
}

/** Matches an address with any rest for `*`, and with or without a slash at the end. */
const patternOf = (address: string): RegExp => new RegExp(`^${address.replace('*', '.+')}/?$`)

/**
 * Serves the dashboard: its pages, and its files. File names change with the content, so browsers keep files for ever.
 * Needs `answerUnknown` around it.
 *
 * @param directory a build; without one, the pages say so
 * @param hasSite whether the public pages have the address `/`
 */
export function serveDashboard(app: FastifyInstance, directory: string, facts: PageFacts, hasSite = false): void {
  const index = join(directory, 'index.html')
  if (!existsSync(index)) {
    serveBuildHint(app)
    return
  }
  // Resolves links: a new build may replace this one while control runs, with other files.
  const build = realpathSync(directory)
  const files = readPageFiles(build)
  // Several addresses may have one file.
  const names = new Set(['index.html', ...files.map(([, file]) => file)])
  const pages = new Map(Array.from(names, (name) => [name, makeBoth(readFileSync(join(build, name), 'utf8'), facts)]))
  const ofPages = pageHeaders(facts.docs.gatewayUrl, facts.brand.logoUrl)
  const { captcha } = facts.signIn
  const ofOthers: Readonly<Record<string, Record<string, string>>> = {
    ...(captcha !== null && { [captchaPath]: captchaHeaders(captcha.provider) })
  }
  const headers = {
    'content-type': 'text/html; charset=utf-8',
    'cache-control': 'no-cache',
    vary: 'accept-encoding, cookie'
  }
  const sendPage = (request: FastifyRequest, reply: FastifyReply) => {
    const page = pages.get(fileOf(files, request.url.split('?', 1)[0] ?? ''))
    if (page === undefined) throw new Error(`the build has no page for ${request.routeOptions.url}`)
    const variant = page[presentsSession(request.headers.cookie) ? 'signedIn' : 'stranger']
    reply.headers({ ...headers, ...(ofOthers[request.routeOptions.url ?? ''] ?? ofPages) })
    return sendEncoded(request, reply, variant)
  }
  app.unknownPages.send = (request, reply) => sendPage(request, reply.code(404))
  const ownPaths = pagePaths.filter((path) => path !== '/' || !hasSite)
  const served = captcha === null ? ownPaths : [...ownPaths, captchaPath]
  for (const path of served) app.get(path, { logLevel: 'warn' }, sendPage)
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

const makeBoth = (html: string, facts: PageFacts) => ({
  signedIn: makeIndexPage(html, facts, true),
  stranger: makeIndexPage(withoutFirstView(html), facts, false)
})

/** Answers the dashboard's paths with how to build it. Everything else works without a build. */
function serveBuildHint(app: FastifyInstance): void {
  const text = 'The dashboard is not built. Run `npm run build`, then restart control.\n'
  for (const path of pagePaths) {
    app.get(path, (_request, reply) => reply.code(503).type('text/plain; charset=utf-8').send(text))
  }
}

/** Names that a browser may use for its own machine. */
const loopbackNames = new Set(['localhost', '127.0.0.1', '[::1]'])

/**
 * Redirects pages that a browser opened by another name of this machine, such as `http://127.0.0.1:3000` instead of
 * `http://localhost:3000`. Browsers treat them as two sites: the session would belong to one, and writes from the other
 * would be refused. A public URL of another machine redirects nothing.
 *
 * @param publicUrl an origin
 */
export function redirectToPublicUrl(pages: FastifyInstance, publicUrl: string): void {
  const { hostname, port } = new URL(publicUrl)
  if (!loopbackNames.has(hostname)) return
  const others = new Set([...loopbackNames].filter((name) => name !== hostname).map((name) => hostOf(name, port)))
  pages.addHook('onRequest', async (request, reply) => {
    if (!others.has(request.headers.host ?? '')) return
    return reply.redirect(publicUrl + request.url, 307)
  })
}

const hostOf = (name: string, port: string): string => (port === '' ? name : `${name}:${port}`)

type SendPage = (request: FastifyRequest, reply: FastifyReply) => FastifyReply | Promise<FastifyReply>

declare module 'fastify' {
  interface FastifyInstance {
    unknownPages: { send: SendPage | null }
  }
}

const notOfPages = /^\/(api|assets)(\/|$)/

/**
 * Answers requests without a route. A person who opened an unknown address in a browser gets the dashboard's page,
 * which says so and offers a way on. Everybody else gets `sendOther`.
 */
export function answerUnknown(app: FastifyInstance, sendOther: SendPage): void {
  const pages: FastifyInstance['unknownPages'] = { send: null }
  app.decorate('unknownPages', pages)
  app.setNotFoundHandler((request, reply) =>
    pages.send !== null && isOpenedInBrowser(request) ? pages.send(request, reply) : sendOther(request, reply)
  )
}

/** Browsers name HTML only when they open a page, not when a script or a picture is loaded. */
const isOpenedInBrowser = ({ method, url, headers }: FastifyRequest): boolean =>
  method === 'GET' && !notOfPages.test(url) && headers.accept?.includes('text/html') === true
