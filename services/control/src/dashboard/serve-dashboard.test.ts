import assert from 'node:assert/strict'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { FailureCounts } from '@tollgate/service/http/admin-server.ts'
import type { FastifyInstance } from 'fastify'
import Fastify from 'fastify'
import { type Test, test } from 'tap'
import type { CaptchaSettings } from '../auth/sign-in-settings.ts'
import { sendNotFound } from '../http/failures.ts'
import { sendSecurityHeaders } from '../http/server-hooks.ts'
import { plainBrand } from '../testing/control-options.ts'
import { answerUnknown, serveDashboard } from './serve-dashboard.ts'

const html =
  '<!doctype html><meta name="gateway-url" content="{{gatewayUrl}}"><meta content="{{requestLogDays}}"><div id="root"></div>'
const served = html.replace('{{gatewayUrl}}', 'https://models.example.com').replace('{{requestLogDays}}', '7')
const docsOf = (name: string) => ({
  name,
  id: 'acme',
  publicUrl: 'https://app.example.com',
  gatewayUrl: 'https://models.example.com'
})
const signIn = {
  providers: [{ id: 'github', name: 'GitHub' }],
  minPasswordLength: 8,
  signup: 'open' as const,
  captcha: null,
  legalPages: [],
  demoMailboxUrl: null
}
const code = 'console.log(1)\n'.repeat(100)

function serve(
  t: Test,
  directory: string,
  brand = plainBrand,
  captcha: CaptchaSettings | null = null
): FastifyInstance {
  const app = Fastify()
  t.after(() => app.close())
  app.decorate('docsUrl', null)
  app.decorate('failures', new FailureCounts())
  answerUnknown(app, sendNotFound)
  sendSecurityHeaders(app, true)
  const facts = {
    docs: docsOf(brand.name),
    brand,
    picture: '/site/icon.svg',
    signIn: { ...signIn, captcha },
    requestLogDays: 7
  }
  app.register(async (pages) => serveDashboard(pages, directory, facts))
  return app
}

const build = (t: Test): string =>
  t.testdir({
    'index.html': html,
    assets: { 'index-a1.js': code, 'index-a1.js.br': 'brotli', 'index-a1.js.gz': 'gzip', 'font-b2.woff2': 'font' }
  })

test('only browsers with a session get the first view of a page', async (t) => {
  const view = '<!--first-view--><nav>Keys</nav>{{brandId}} at {{publicUrl}}<!--/first-view-->'
  const page = html.replace('<div id="root">', `<div id="root">${view}`)
  const app = serve(
    t,
    t.testdir({
      'index.html': html,
      'page-0.html': page,
      'pages.json': '{"/dashboard/keys":"page-0.html"}',
      assets: {}
    })
  )
  const ask = (cookie?: string) =>
    app.inject({ url: '/dashboard/keys', headers: cookie === undefined ? {} : { cookie } })
  const stranger = await ask()
  assert.equal(stranger.body, served)
  assert.equal((await ask('svc_session=')).body, served)
  const user = await ask('a=b; svc_session=x')
  assert.match(user.body, /<nav>Keys<\/nav>acme at https:\/\/app\.example\.com/)
  assert.notEqual(user.headers.etag, stranger.headers.etag)
  assert.match(String(user.headers.vary), /cookie/i)
})

test('the sign-in page knows whether the browser has a session, so it asks the API only then', async (t) => {
  const app = serve(t, t.testdir({ 'index.html': '<meta name="session" content="{{session}}">', assets: {} }))
  const ask = async (cookie: string) => (await app.inject({ url: '/login', headers: { cookie } })).body
  assert.match(await ask('a=b'), /content="none"/)
  assert.match(await ask('svc_session=x'), /content="presented"/)
})

test('every path of the dashboard serves its one page, and no other path does', async (t) => {
  const app = serve(t, build(t))
  for (const path of [
    '/',
    '/login?error=link_invalid',
    '/confirm',
    '/invitations/abc',
    '/dashboard',
    '/dashboard/keys',
    '/dashboard/a/b'
  ]) {
    const answer = await app.inject(path)
    assert.equal(answer.statusCode, 200, path)
    assert.equal(answer.body, served)
    assert.match(String(answer.headers['content-type']), /^text\/html/)
  }
  for (const path of [
    '/api/nothing',
    '/api',
    '/dashboards',
    '/index.html',
    '/assets/none.js',
    '/assets/../index.html'
  ]) {
    const answer = await app.inject(path)
    assert.equal(answer.statusCode, 404, path)
    assert.match(String(answer.headers['content-type']), /json/, path)
  }
})

test('a person who opens an unknown address gets the page, which says so; programs get an error', async (t) => {
  const app = serve(t, build(t))
  const accept = 'text/html,application/xhtml+xml,*/*;q=0.8'
  const page = await app.inject({ url: '/pricing', headers: { accept } })
  assert.equal(page.statusCode, 404)
  assert.equal(page.body, served)
  assert.match(String(page.headers['content-security-policy']), /default-src 'none'/)
  const again = await app.inject({ url: '/pricing', headers: { accept, 'if-none-match': String(page.headers.etag) } })
  assert.equal(again.statusCode, 404)
  for (const request of [
    { url: '/pricing' },
    { url: '/pricing', headers: { accept: '*/*' } },
    { method: 'POST', url: '/pricing', headers: { accept } },
    { url: '/api/nothing', headers: { accept } },
    { url: '/assets/none.js', headers: { accept } }
  ] as const) {
    const answer = await app.inject(request)
    assert.equal(answer.statusCode, 404)
    assert.match(String(answer.headers['content-type']), /json/, JSON.stringify(request))
  }
})

test('each address gets its own page, and others the first page that stands for them', async (t) => {
  const directory = t.testdir({
    'pages.json': JSON.stringify({
      '/login': 'sign-in.html',
      '/dashboard': '0.html',
      '/dashboard/requests/*': '1.html',
      '/dashboard/*': '2.html'
    }),
    'index.html': 'index {{gatewayUrl}}',
    'sign-in.html': 'sign-in',
    '0.html': 'overview',
    '1.html': 'request of {{brandName}}',
    '2.html': 'another page',
    assets: {}
  })
  const app = serve(t, directory)
  for (const [path, body] of [
    ['/', 'index https://models.example.com'],
    ['/?a=/dashboard', 'index https://models.example.com'],
    ['/login?next=%2Fdashboard', 'sign-in'],
    ['/dashboard', 'overview'],
    ['/dashboard/', 'overview'],
    ['/dashboard/requests/req_1', 'request of Tollgate'],
    ['/dashboard/requests/req_1/more', 'request of Tollgate'],
    ['/dashboard/requests', 'another page'],
    ['/dashboard/nowhere', 'another page']
  ] as const) {
    assert.equal((await app.inject(path)).body, body, path)
  }
})

test('the page allows only its own files as scripts and styles, and nobody can frame it', async (t) => {
  const { headers } = await serve(t, build(t)).inject('/')
  const policy = new Map(
    String(headers['content-security-policy'])
      .split('; ')
      .map((directive) => [directive.split(' ')[0], directive.split(' ').slice(1).join(' ')])
  )
  assert.equal(policy.get('default-src'), "'none'")
  assert.equal(policy.get('script-src'), "'self'")
  assert.equal(policy.get('style-src'), "'self'")
  assert.equal(policy.get('connect-src'), "'self' https://models.example.com")
  assert.equal(policy.get('frame-ancestors'), "'none'")
  assert.equal(policy.get('base-uri'), "'none'")
  assert.doesNotMatch(String(headers['content-security-policy']), /unsafe|\*|data:|blob:/)
  assert.equal(headers['x-frame-options'], 'DENY')
  assert.equal(headers['x-content-type-options'], 'nosniff')
  assert.equal(headers['referrer-policy'], 'no-referrer')
  assert.match(String(headers['strict-transport-security']), /max-age=\d+/)
})

test('the page is compressed for the browser, and not sent again while unchanged', async (t) => {
  const app = serve(t, build(t))
  const unpack = { br: brotliDecompressSync, gzip: gunzipSync } as const
  const tags = new Set<unknown>()
  for (const [accepted, encoding] of [
    ['gzip, deflate, br, zstd', 'br'],
    ['gzip', 'gzip']
  ] as const) {
    const answer = await app.inject({ url: '/', headers: { 'accept-encoding': accepted } })
    assert.equal(answer.headers['content-encoding'], encoding)
    assert.equal(unpack[encoding](answer.rawPayload).toString(), served)
    assert.equal(answer.headers['cache-control'], 'no-cache')
    const { etag } = answer.headers
    tags.add(etag)
    const headers = { 'accept-encoding': accepted, 'if-none-match': `"another", W/${etag}` }
    const again = await app.inject({ url: '/dashboard', headers })
    assert.equal(again.statusCode, 304)
    assert.equal(again.body, '')
  }
  assert.equal(tags.size, 2)
  assert.equal((await app.inject('/')).headers['content-encoding'], undefined)
})

test('files are cached for ever, and sent compressed if a compressed file exists', async (t) => {
  const app = serve(t, build(t))
  const file = await app.inject({ url: '/assets/index-a1.js', headers: { 'accept-encoding': 'gzip, br' } })
  assert.equal(file.statusCode, 200)
  assert.equal(file.body, 'brotli')
  assert.equal(file.headers['content-encoding'], 'br')
  assert.match(String(file.headers['content-type']), /javascript/)
  assert.equal(file.headers['cache-control'], 'public, max-age=31536000, immutable')
  assert.equal((await app.inject('/assets/index-a1.js')).body, code)
  const font = await app.inject({ url: '/assets/font-b2.woff2', headers: { 'accept-encoding': 'br' } })
  assert.equal(font.body, 'font')
  assert.equal(font.headers['content-encoding'], undefined)
})

test('without a build, the pages say how to make one', async (t) => {
  const app = serve(t, t.testdir({}))
  for (const path of ['/', '/dashboard/keys']) {
    const answer = await app.inject(path)
    assert.equal(answer.statusCode, 503)
    assert.match(answer.body, /npm run build/)
  }
})

test('the page has the brand of the operator, and may load its logo only', async (t) => {
  const directory = t.testdir({ 'index.html': '<title>{{brandName}}</title><meta content="{{brand}}">', assets: {} })
  const brand = { ...plainBrand, name: '<Acme> & "Co"', logoUrl: 'https://cdn.example.com/logo.png' }
  const { body, headers } = await serve(t, directory, brand).inject('/')
  assert.doesNotMatch(body, /<Acme>|Tollgate/)
  assert.match(body, /^<title>&#60;Acme&#62; &#38; &#34;Co&#34;<\/title>/)
  assert.match(String(headers['content-security-policy']), /img-src 'self' https:\/\/cdn\.example\.com;/)
})

test('only the CAPTCHA page loads files of the CAPTCHA’s provider; without a CAPTCHA the page does not exist', async (t) => {
  const directory = t.testdir({
    'index.html': html,
    'captcha.html': '{{captcha}}',
    'pages.json': '{"/captcha":"captcha.html"}',
    assets: {}
  })
  const policyOf = async (app: FastifyInstance, path: string) =>
    String((await app.inject(path)).headers['content-security-policy'])
  const plain = serve(t, directory)
  assert.equal((await plain.inject('/captcha')).statusCode, 404)
  const hosts = {
    hcaptcha: 'https://hcaptcha.com https://*.hcaptcha.com',
    turnstile: 'https://challenges.cloudflare.com'
  }
  for (const provider of ['hcaptcha', 'turnstile'] as const) {
    const app = serve(t, directory, plainBrand, { provider, siteKey: 'key' })
    for (const path of ['/', '/login', '/register', '/forgot-password', '/dashboard']) {
      assert.equal(await policyOf(app, path), await policyOf(plain, path), path)
    }
    const policy = await policyOf(app, '/captcha')
    assert.match(policy, /^default-src 'none'; /)
    assert.ok(policy.includes(`script-src 'self' ${hosts[provider]};`), policy)
    assert.ok(policy.includes(`frame-src ${hosts[provider]};`), policy)
    assert.equal(policy.includes('hcaptcha'), provider === 'hcaptcha')
    assert.equal(policy.includes('cloudflare'), provider === 'turnstile')
    assert.match(policy, /frame-ancestors 'self'$/)
    const { body, headers } = await app.inject('/captcha')
    assert.equal(body, `{&#34;provider&#34;:&#34;${provider}&#34;,&#34;siteKey&#34;:&#34;key&#34;}`)
    assert.equal(headers['referrer-policy'], 'strict-origin', 'the provider compares the origin with the site key')
  }
})
