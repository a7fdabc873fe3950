import assert from 'node:assert/strict'
import { brotliDecompressSync } from 'node:zlib'
import { createSearch, type Found } from '@tollgate/contracts/docs/search-docs.ts'
import { test } from 'tap'
import { openSite } from '../testing/open-site.ts'
import { errorCodes } from './error-pages.ts'

const linksIn = (text: string): string[] => [...text.matchAll(/href="(\/[^"#?]*)/g)].map(([, path]) => path!)

test('every page of the docs is there, leads to pages that are there, and is small', async (t) => {
  const { open } = await openSite(t, { brand: { name: 'Acme' } })
  const { text: map } = await open('/sitemap.xml')
  const paths = [...map.matchAll(/<loc>http:\/\/localhost:3000(\/docs[^<]*)<\/loc>/g)].map(([, path]) => path!)
  assert.ok(paths.length > 150, String(paths.length))
  const known = new Set(paths)
  for (const path of paths) {
    const { status, bytes } = await open(path, { 'accept-encoding': 'br' })
    assert.equal(status, 200, path)
    assert.ok(bytes.length < 30_000, `${path}: ${bytes.length} bytes`)
    const text = brotliDecompressSync(bytes).toString()
    assert.equal(text.match(/<h1/g)?.length, 1, path)
    assert.doesNotMatch(text, /\[object|>undefined|Tollgate|\bMODEL\b|\/api\/admin/, path)
    for (const link of linksIn(text).filter((one) => one.startsWith('/docs/') && one !== '/docs/search'))
      assert.ok(known.has(link), `${path} leads to ${link}`)
  }
})

test('the page of an error says what to do and which calls answer it', async (t) => {
  const { open } = await openSite(t)
  const { text } = await open('/docs/errors/key_budget_exceeded')
  for (const part of [
    'Status 402',
    'raise the budget',
    '/docs/api/models/createChatCompletion',
    'limit_usd',
    'http://localhost:3000/docs/errors/key_budget_exceeded'
  ]) {
    assert.ok(text.includes(part), part)
  }
  const { text: all } = await open('/docs/errors')
  for (const code of errorCodes) assert.ok(all.includes(`/docs/errors/${code}`), code)
  assert.equal((await open('/docs/errors/nothing')).status, 404)
})

test('a call has its parameters, the members of its body, its answers and its errors', async (t) => {
  const { open } = await openSite(t)
  const { text } = await open('/docs/api/models/createChatCompletion')
  for (const part of ['Idempotency-Key', 'max_completion_tokens', 'budget_exceeded', 'curl http']) {
    assert.ok(text.includes(part), part)
  }
  const { text: index } = await open('/docs/api')
  assert.doesNotMatch(index, /\/docs\/api\/operators/, 'only the dashboard of operators leads to their calls')
  const ofOperators = linksIn((await open('/docs/api/operators')).text).find((path) => /operators\/\w/.test(path))!
  assert.equal((await open(ofOperators)).status, 200)
  for (const [former, path] of [
    ['/api/reference', '/docs/api'],
    ['/dashboard/docs/api', '/docs/api'],
    ['/dashboard/docs', '/docs'],
    ['/dashboard/docs/budgets', '/docs/budgets']
  ] as const) {
    assert.equal((await open(former)).headers.location, path)
  }
})

test('the search finds guides, errors, calls and models, without scripts and for the script', async (t) => {
  const { open } = await openSite(t)
  const found = async (words: string) => linksIn((await open(`/docs/search?q=${words}`)).text)
  assert.ok((await found('invalid_json')).includes('/docs/errors/invalid_json'))
  assert.ok((await found('luna')).includes('/models/gpt-6-luna'))
  assert.ok((await found('top-up')).includes('/docs/api/account/topUpKey'))
  assert.ok((await found('budgets')).includes('/docs/budgets'))
  assert.ok((await found('tool%20calls')).includes('/docs/features'), 'by the words of a section')
  assert.ok((await found('max_completion_tokens')).includes('/docs/api/models/createChatCompletion'), 'by a member')
  const calls = (await found('post%20/api')).filter((href) => href.startsWith('/docs/api/account/'))
  assert.deepEqual(calls.slice(-2), ['/docs/api/account/takeInUserChange', '/docs/api/account/takeInEvent'])
  const { text } = await open('/docs/search?q=%3Cimg%20src=x%3E')
  assert.doesNotMatch(text, /<img src=x/)
  const index = JSON.parse((await open('/docs/search.json')).text) as Found[]
  assert.ok(index.some(({ href }) => href === '/docs/errors/invalid_json'))
  const first = (words: string) => createSearch(index)(words, 1)[0]?.href
  assert.deepEqual(['free', 'uptime', 'GPT 6 luna'].map(first), ['/pricing', '/status', '/models/gpt-6-luna'])
})
