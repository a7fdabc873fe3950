import assert from 'node:assert/strict'
import { brotliDecompressSync } from 'node:zlib'
import type { Catalog } from '@tollgate/contracts/catalog/catalog.ts'
import { loadCatalogFile } from '@tollgate/service/catalog/catalog-file.ts'
import { test } from 'tap'
import { contentOf } from '../catalog/publish-catalog.ts'
import { repositoryCatalog } from '../testing/control-options.ts'
import { noSiteTexts } from './site-texts.ts'
import { openSite } from './testing/open-site.ts'

const shipped = loadCatalogFile(repositoryCatalog)
const legal = { terms: { title: 'Terms', markdown: '1. Be **kind**.' } }
const pagesWithTexts = [
  '/',
  '/pricing',
  '/models',
  '/models/gpt-6-luna',
  '/models/openai/gpt-oss-20b',
  '/providers',
  '/terms'
]

test('every page is complete without scripts and without a session, and sets no cookie', async (t) => {
  const { open } = await openSite(t, { site: { ...noSiteTexts, legal } })
  for (const path of pagesWithTexts) {
    const { status, headers, text } = await open(path)
    assert.equal(status, 200, path)
    assert.equal(headers['content-type'], 'text/html; charset=utf-8')
    assert.equal(headers['set-cookie'], undefined)
    assert.equal(headers['cache-control'], 'public, max-age=30')
    assert.match(text, new RegExp(`<link rel="canonical" href="http://localhost:3000${path}">`))
    assert.equal(text.match(/<h1/g)?.length, 1, path)
    assert.match(text, /<meta name="description" content="[^"]{10,}">/)
    assert.doesNotMatch(text, / style=| onclick=|javascript:|undefined|\[object/, path)
    const scripts = [...text.matchAll(/<script([^>]*)>/g)].map(([, attributes]) => attributes)
    assert.ok(
      scripts.every((one) => one === ' src="/assets/site.js"' || one === ' type="application/ld+json"'),
      path
    )
    for (const [, data] of text.matchAll(/ld\+json">(.*?)<\/script>/g)) {
      assert.equal((JSON.parse(data!) as { '@context': string })['@context'], 'https://schema.org')
    }
  }
  const { text } = await open('/')
  for (const part of ['One API key for every model', 'http://localhost:8080/v1', 'gpt-6-luna', '$20', '/register']) {
    assert.ok(text.includes(part), part)
  }
  assert.match((await open('/models/gpt-6-luna')).text, /\$0\.10.*\$0\.50/s)
  assert.match((await open('/terms')).text, /<strong>kind<\/strong>/)
})

test('pages say what a model is for, what it can do, and what its provider does with prompts', async (t) => {
  const { open } = await openSite(t)
  const { text } = await open('/models/claude-haiku-5-5')
  for (const part of ['Fast and cheap, for', 'What it can do', 'href="/docs/features#tool-calls"', 'Anthropic, PBC']) {
    assert.ok(text.includes(part), part)
  }
  const providers = (await open('/providers')).text
  assert.match(providers, /Groq LLC, United States.*?>No<.*?console\.groq\.com/s)
  // Nothing is claimed that the catalog does not say.
  assert.match(providers, /Hangzhou DeepSeek(?:(?!<tr>).)*?Not stated/s)
})

test('the policy of a page allows nothing from elsewhere but the logo', async (t) => {
  const logoUrl = 'https://cdn.example.com/logo.png'
  const { open } = await openSite(t, { brand: { logoUrl, color: '#aa3300' } })
  const { headers, text } = await open('/')
  assert.equal(
    headers['content-security-policy'],
    "default-src 'none'; script-src 'self'; style-src 'self'; font-src 'self'; img-src 'self' https://cdn.example.com; connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'"
  )
  assert.equal(headers['x-frame-options'], 'DENY')
  const address = /href="(\/site\/brand\.css\?v=[0-9a-f]{8})"/.exec(text)?.[1]
  const stylesheet = await open(String(address))
  assert.equal(stylesheet.text, ':root{--brand:#aa3300}\n')
  assert.match(String(stylesheet.headers['cache-control']), /immutable/)
  assert.match((await open('/site/icon.svg')).text, /fill="#aa3300"/)
  assert.equal((await open('/favicon.ico')).headers.location, logoUrl)
})

test('a page is compressed, and not sent again while it is the same', async (t) => {
  const { open } = await openSite(t)
  const plain = await open('/models')
  const small = await open('/models', { 'accept-encoding': 'gzip, br' })
  assert.equal(small.headers['content-encoding'], 'br')
  assert.equal(brotliDecompressSync(small.bytes).toString(), plain.text)
  const etag = String(small.headers.etag)
  assert.equal((await open('/models', { 'accept-encoding': 'br', 'if-none-match': etag })).status, 304)
  assert.match(String(small.headers.vary), /accept-encoding, cookie/)
})

test('no page has more than 20 kB of compressed HTML with the shipped catalog', async (t) => {
  const { open } = await openSite(t)
  const paths = ['/', '/pricing', '/models', ...Object.keys(shipped.models).map((id) => `/models/${id}`)]
  for (const path of paths) {
    const { status, bytes } = await open(path, { 'accept-encoding': 'br' })
    assert.equal(status, 200, path)
    assert.ok(bytes.length <= 20_000, `${path}: ${bytes.length} bytes`)
  }
})

test('no page names the product where a brand is set', async (t) => {
  const { open } = await openSite(t, { brand: { name: 'Acme AI' }, site: { ...noSiteTexts, legal } })
  for (const path of [...pagesWithTexts, '/robots.txt', '/sitemap.xml', '/llms.txt', '/site/icon.svg']) {
    const { status, text } = await open(path)
    assert.equal(status, 200, path)
    assert.doesNotMatch(text, /tollgate/i, path)
  }
  assert.match((await open('/')).text, /<title>Acme AI · One API key/)
})

test('hostile names and texts stay text on every page', async (t) => {
  const hostile = `"><img src=x onerror=alert(1)></script><!--\u202e'`
  const id = 'evil/<b onload=x>"</script>\u202e'
  const model = { ...shipped.models['gpt-6-luna']!, ownedBy: hostile, aliases: [`a${hostile}`] }
  const { free, pro } = shipped.plans
  const catalog: Catalog = {
    models: { [id]: model },
    plans: {
      free: { ...free!, name: hostile, models: [id] },
      pro: { ...pro!, name: hostile, entitlements: [hostile], models: [id] }
    }
  }
  const section = { title: hostile, markdown: `${hostile} [x](javascript:alert(1)) ![y](data:text/html,z) <b>raw</b>` }
  const texts = {
    headline: { title: hostile, subline: hostile },
    points: [section],
    questions: [section],
    legal: { terms: section, privacy: section, imprint: section }
  }
  const { open } = await openSite(t, { catalog, site: texts, brand: { name: hostile.replace('\u202e', '') } })
  const modelPage = `/models/${id.split('/').map(encodeURIComponent).join('/')}`
  const paths = ['/', '/pricing', '/models', modelPage, '/terms', '/privacy', '/imprint']
  for (const path of paths) {
    const { status, text } = await open(path)
    assert.equal(status, 200, path)
    assert.doesNotMatch(text, /<img src=x|<b onload|<b>raw|<!--|href="javascript|src="data:|\u202e/, path)
    // Each data block is JSON to its end.
    for (const [, data] of text.matchAll(/ld\+json">(.*?)<\/script>/gs)) JSON.parse(data!)
    assert.equal(text.match(/<script/g)?.length, text.match(/<\/script/g)?.length, path)
  }
  const found = await open(`/models?q=${encodeURIComponent(hostile)}`)
  assert.equal(found.status, 200)
  assert.doesNotMatch(found.text, /<img src=x/)
})

test('the shown prices are those of the cheapest plan that has the model, and models that no gateway has are not shown', async (t) => {
  const { free, pro, team } = shipped.plans
  const offline = {
    ...shipped.models['gpt-4o-mini']!,
    route: [{ ...shipped.models['gpt-4o-mini']!.route[0]!, upstream: 'away' }]
  }
  const onlyByHand = { ...pro!, prices: [], models: ['gpt-5'] }
  const catalog: Catalog = {
    models: {
      'gpt-5-nano': shipped.models['gpt-5-nano']!,
      'gpt-5-mini': shipped.models['gpt-5-mini']!,
      'gpt-4o-mini': offline,
      'gpt-5': shipped.models['gpt-5']!
    },
    plans: {
      free: { ...free!, models: ['gpt-5-nano', 'gpt-4o-mini'], priceGroup: 'start' },
      pro: { ...onlyByHand },
      team: { ...team!, models: ['gpt-5-nano', 'gpt-5-mini'] }
    },
    priceGroups: { start: 3 }
  }
  const upstreams = {
    served: new Set(['openai']),
    leftOut: new Set(['away']),
    withoutListPrices: 0,
    withoutAddresses: 0,
    withoutBudgets: 0
  }
  const { open } = await openSite(t, { catalog, liveUpstreams: async () => upstreams })
  const { text } = await open('/models')
  assert.match(text, /gpt-5-nano.*\$0\.15.*\$1\.20/s)
  assert.match(text, /gpt-5-mini.*\$0\.25.*\$2\.00/s)
  assert.match(text, /in the cheapest plan that includes the model/)
  assert.doesNotMatch(text, /gpt-4o-mini|gpt-5"|gpt-5</)
  for (const id of ['gpt-4o-mini', 'gpt-5']) assert.equal((await open(`/models/${id}`)).status, 404)
  assert.doesNotMatch((await open('/sitemap.xml')).text, /gpt-4o-mini|gpt-5</)
})

test('a changed catalog is on the pages at once', async (t) => {
  const { control, open } = await openSite(t)
  const before = await open('/models/gpt-6-luna')
  const { models, ...rest } = shipped
  const { 'gpt-6-luna': luna, ...others } = models
  const prices = { ...luna!.prices, inputPicos: 123_000 }
  const { periods: _, ...flat } = prices
  const changed: Catalog = { ...rest, models: { 'gpt-6-luna': { ...luna!, prices: flat }, ...others } }
  await control.catalogPublisher.publish(contentOf(changed, ''), { mode: 'apply', operator: null })
  const after = await open('/models/gpt-6-luna')
  assert.match(after.text, /\$0\.123/)
  assert.notEqual(after.headers.etag, before.headers.etag)
  assert.match((await open('/')).text, /gpt-6-luna/)
})

test('a coming change of prices has its date, and is in force from then on', async (t) => {
  const from = Date.UTC(2099, 2, 1) / 1000
  const model = shipped.models['gpt-5-nano']!
  const { periods: _, ...prices } = model.prices
  const row = (factor: number) => ({
    tier: 'default',
    abovePromptTokens: 0,
    prices: { inputPicos: 50_000 * factor, cachedInputPicos: 5000 * factor, outputPicos: 400_000 * factor }
  })
  const dated = { ...model, prices: { ...prices, periods: [{ rows: [row(1)] }, { from, rows: [row(2)] }] } }
  const catalog: Catalog = {
    models: { 'gpt-5-nano': dated },
    plans: { free: { ...shipped.plans.free!, models: ['gpt-5-nano'] } }
  }
  const { control, open } = await openSite(t, { catalog })
  assert.match((await open('/models')).text, />\$0\.10 \/ \$0\.80 from 1 Mar 2099</)
  const { text } = await open('/models/gpt-5-nano')
  assert.match(
    text,
    /From 1 March 2099: Input \$0\.05 → \$0\.10, Cached input \$0\.005 → \$0\.01, Output \$0\.40 → \$0\.80 per 1M tokens\./
  )
  // Only the rows that change then are in a table of their own.
  assert.match(text, /<caption[^>]*>Now<.*<caption[^>]*>From 1 March 2099</s)
  control.passTime(from * 1000 - Date.now())
  const later = await open('/models/gpt-5-nano')
  assert.match(later.text, /Input costs \$0\.10 and output \$0\.80 per million tokens/)
  assert.doesNotMatch(later.text, /From 1 March 2099: /)
})

test('only visitors with a session are sent to the dashboard, and proxies keep both pages apart', async (t) => {
  const { open } = await openSite(t)
  const stranger = await open('/')
  assert.match(stranger.text, /href="\/login".*>Get started</s)
  const user = await open('/', { cookie: 'svc_session=x' })
  assert.match(user.text, /href="\/dashboard"[^>]*>Open dashboard</)
  assert.doesNotMatch(user.text, /href="\/(login|register)"/)
  assert.equal(user.headers['cache-control'], 'private, no-cache')
  assert.notEqual(user.headers.etag, stranger.headers.etag)
  assert.equal((await open('/', { cookie: 'other=x' })).headers.etag, stranger.headers.etag)
})

test('the button of a model outside the free plan leads to the cheapest plan that has it', async (t) => {
  const { open } = await openSite(t)
  const hrefIn = (text: string, button: string): string =>
    String(new RegExp(`<a href="([^"]+)"[^>]*>${button}<`).exec(text)?.[1]).replaceAll('&#38;', '&')
  const bill = '/dashboard/billing?plan=pro&interval=month'
  const ofStranger = hrefIn((await open('/models/gpt-5')).text, 'Start with Pro')
  assert.equal(new URL(ofStranger, 'http://localhost').searchParams.get('next'), bill)
  const { text } = await open('/models/gpt-5', { cookie: 'svc_session=x' })
  assert.equal(hrefIn(text, 'Choose Pro'), bill)
  assert.equal(hrefIn((await open('/models/gpt-6-luna')).text, 'Get started'), '/register')
})

test('the first button tells who gets an account', async (t) => {
  const approved = await openSite(t, { signup: { mode: 'approved' } })
  assert.match((await approved.open('/')).text, /href="\/register"[^>]*>Request access<.*We approve each new account/s)
  const invited = await openSite(t, { signup: { mode: 'invited' } })
  const { text } = await invited.open('/')
  assert.doesNotMatch(text, /\/register/)
  assert.match(text, /New accounts are by invitation only/)
  const asked = await openSite(t, { signup: { mode: 'invited' }, brand: { salesUrl: 'mailto:sales@acme.example' } })
  assert.match((await asked.open('/pricing')).text, /href="mailto:sales@acme\.example"[^>]*>Ask for an invitation</)
})

test('the button of a plan leads to the page that pays for it, by the interval that is shown', async (t) => {
  const { open } = await openSite(t)
  const hrefOf = (text: string, interval: string, button: string) => {
    const found = new RegExp(`<div data-interval="${interval}"><a href="([^"]+)"[^>]*>${button}<`).exec(text)
    return new URL(String(found?.[1]).replaceAll('&#38;', '&'), 'http://localhost:3000')
  }
  for (const page of ['/', '/pricing']) {
    for (const interval of ['month', 'year']) {
      const target = `/dashboard/billing?plan=pro&interval=${interval}`
      const ofStranger = hrefOf((await open(page)).text, interval, 'Start with Pro')
      assert.equal(ofStranger.pathname, '/register')
      assert.equal(ofStranger.searchParams.get('next'), target)
      const { text } = await open(page, { cookie: 'svc_session=x' })
      const { pathname, search } = hrefOf(text, interval, 'Choose Pro')
      assert.equal(pathname + search, target)
    }
  }
})

test('an address without a page says so with ways on, and an alias leads to its model', async (t) => {
  const catalog: Catalog = {
    ...shipped,
    models: { ...shipped.models, 'gpt-6-luna': { ...shipped.models['gpt-6-luna']!, aliases: ['openai/luna'] } }
  }
  const { open } = await openSite(t, { catalog })
  const unknown = [
    '/nowhere',
    '/models/none',
    '/models/%3Cb%3E',
    '/docs/none',
    '/docs/errors/none',
    '/terms',
    '/imprint'
  ]
  for (const path of unknown) {
    const { status, headers, text } = await open(path)
    assert.equal(status, 404, path)
    assert.match(text, /<h1[^>]*>Page not found<.*action="\/docs\/search"/s, path)
    assert.match(text, /<meta name="robots" content="noindex">/)
    assert.doesNotMatch(text, /rel="canonical"|\/none|nowhere/)
    assert.match(String(headers['content-security-policy']), /script-src 'self'/)
  }
  assert.match(String((await open('/models/none', { accept: '*/*' })).headers['content-type']), /json/)
  const alias = await open('/models/openai/luna')
  assert.equal(alias.status, 302)
  assert.equal(alias.headers.location, '/models/gpt-6-luna')
  assert.equal((await open('/models/openai%2Fgpt-oss-20b')).status, 200)
  assert.equal((await open('/pricing/')).status, 200)
})

test('the footer has the legal pages of the operator, else the address of one', async (t) => {
  const brand = { legalUrl: 'https://acme.example/legal', supportUrl: 'mailto:help@acme.example' }
  const linked = await openSite(t, { brand })
  assert.match(
    (await linked.open('/')).text,
    /href="mailto:help@acme\.example".*href="https:\/\/acme\.example\/legal"/s
  )
  const own = await openSite(t, { brand, site: { ...noSiteTexts, legal } })
  const { text } = await own.open('/')
  assert.match(text, /href="\/terms"/)
  assert.doesNotMatch(text, /acme\.example\/legal|href="\/privacy"/)
})

test('the form of a registration knows the pages that one accepts with it', async (t) => {
  const factsOf = async (options: Parameters<typeof openSite>[1]) => {
    const { open } = await openSite(t, options)
    const { text } = await open('/register')
    const [, content = ''] = /<meta name="sign-in" content="([^"]*)">/.exec(text) ?? []
    return JSON.parse(content.replaceAll('&#34;', '"')) as { legalPages: string[] }
  }
  const withTerms = { ...noSiteTexts, legal: { ...legal, imprint: legal.terms } }
  assert.deepEqual((await factsOf({ site: withTerms })).legalPages, ['terms'])
  assert.deepEqual((await factsOf({ site: null })).legalPages, [])
})

test('search engines and language models find the pages', async (t) => {
  const { open } = await openSite(t, { publicUrl: 'https://app.example.com', site: { ...noSiteTexts, legal } })
  const robots = await open('/robots.txt')
  assert.match(String(robots.headers['content-type']), /^text\/plain/)
  assert.match(robots.text, /^Sitemap: https:\/\/app\.example\.com\/sitemap\.xml$/m)
  assert.match(robots.text, /^Disallow: \/dashboard$/m)
  const { text, headers } = await open('/sitemap.xml')
  assert.match(String(headers['content-type']), /^application\/xml/)
  const locations = [...text.matchAll(/<loc>(.*?)<\/loc>/g)].map(([, location]) => new URL(location!).pathname)
  assert.ok(locations.includes('/models/openai/gpt-oss-20b') && locations.includes('/terms'))
  assert.ok(!locations.includes('/privacy'))
  for (const path of locations) assert.equal((await open(path)).status, 200, path)
  assert.match((await open('/llms.txt')).text, /\(https:\/\/app\.example\.com\/pricing\)/)
})

test('without public pages, visitors see what they saw before, and the docs', async (t) => {
  const { open } = await openSite(t, { site: null })
  assert.match((await open('/')).text, /<p>dashboard<\/p>/)
  assert.match((await open('/nowhere')).text, /<p>dashboard<\/p>/)
  for (const path of ['/pricing', '/models', '/models/gpt-6-luna', '/status', '/robots.txt', '/sitemap.xml']) {
    assert.equal((await open(path)).status, 404, path)
  }
  assert.doesNotMatch((await open('/llms.txt')).text, /pricing/)
  for (const path of ['/docs', '/docs/features', '/docs/errors/monthly_budget_exceeded', '/docs/search?q=price']) {
    const docs = await open(path)
    assert.equal(docs.status, 200, path)
    assert.doesNotMatch(docs.text, /href="(http:\/\/localhost:3000)?\/(pricing|models|status)/, path)
  }
})
