import assert from 'node:assert/strict'
import { test } from 'tap'
import { openSite } from './testing/open-site.ts'

/** The names of the shown models, in order. */
const shownIn = (text: string): string[] =>
  [...text.matchAll(/<tr( hidden)? data-text=.*?<a href="\/models\/([^"]+)"/gs)].flatMap(([, hidden, id]) =>
    hidden === undefined ? [decodeURIComponent(id!)] : []
  )

test('the server filters by words, plan, provider, kind and price, and says how many there are', async (t) => {
  const { open } = await openSite(t)
  const shown = async (query: string) => shownIn((await open(`/models${query}`)).text)
  const all = await shown('')
  assert.ok(all.length > 50)
  const embeddings = await shown('?kind=embedding&provider=openai')
  assert.deepEqual(embeddings, ['text-embedding-3-small', 'text-embedding-3-large'])
  assert.deepEqual(await shown('?q=OSS+120b'), ['openai/gpt-oss-120b'])
  const ofFree = await shown('?plan=free')
  assert.ok(ofFree.length === 10 && ofFree.includes('gpt-6-luna') && !ofFree.includes('local/qwen3-8b'))
  assert.deepEqual(await shown('?plan=pro'), all)
  const searching = await shown('?can=web_search&provider=anthropic')
  assert.ok(searching.includes('claude-sonnet-5-5') && searching.every((id) => id.startsWith('claude-')))
  assert.deepEqual(await shown('?can=audio&provider=openai'), ['gpt-audio-1.5'])
  assert.deepEqual(await shown('?can=fly'), all)
  const free = await shown('?free=1')
  assert.ok(free.length > 0 && free.every((id) => id.startsWith('local/')))
  assert.deepEqual(await shown('?provider=nobody&plan=none&kind=%3Cb%3E&sort=x&q=+'), all)
  assert.match((await open('/models?q=oss+120b')).text, /data-total="\d+">1 of \d+ models</)
  const none = await open('/models?q=nothing-like-this')
  assert.deepEqual(shownIn(none.text), [])
  assert.match(none.text, /<tr data-none>/)
})

test('the server sorts upwards and downwards, and links say what comes next', async (t) => {
  const { open } = await openSite(t)
  const { text } = await open('/models?kind=chat&provider=openai&sort=input')
  assert.match(text, /aria-sort="ascending"[^>]*><a href="\/models\?provider=openai&#38;kind=chat&#38;sort=-input"/)
  const upwards = shownIn(text)
  assert.equal(upwards[0], 'gpt-5-nano')
  const downwards = shownIn((await open('/models?kind=chat&provider=openai&sort=-input')).text)
  assert.ok(['gpt-6-astra'].includes(downwards[0]!), downwards[0])
  const byOutput = shownIn((await open('/models?sort=output')).text)
  assert.ok(
    byOutput.indexOf('text-embedding-3-small') > byOutput.indexOf('gpt-6-astra'),
    'models without output come last'
  )
})

test('a repeated or nested query is no error', async (t) => {
  const { open } = await openSite(t)
  for (const query of ['?q=a&q=b', '?q[]=a', '?kind=chat&kind=x', `?q=${'x'.repeat(5000)}`]) {
    assert.equal((await open(`/models${query}`)).status, 200, query)
  }
})
