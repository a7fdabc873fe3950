import assert from 'node:assert/strict'
import { test } from 'tap'
import { shownPrefix } from '../../format/visible-text.ts'
import { modelToTry, oldValueUntil } from './describe-key.ts'

const prices = { input: 1, cached_input: 1, output: 1, reasoning: 1 }
const offered = [
  { id: 'embed', kind: 'embedding', usd_per_million_tokens: prices },
  { id: 'chat', kind: 'chat', usd_per_million_tokens: prices }
] as const

test('a key is tried with a chat model if it may call one', async () => {
  assert.equal(modelToTry([...offered], null), 'chat')
  assert.equal(modelToTry([...offered], ['embed']), 'embed')
  assert.equal(modelToTry([...offered], ['gone']), '')
})

test('a key is shown by its first characters', async () => {
  assert.equal(shownPrefix({ scope: 'inference', prefix: 'abcdefgh' }), 'tg_abcdefgh…')
  assert.equal(shownPrefix({ scope: 'management', prefix: 'abcdefgh' }), 'tgm_abcdefgh…')
})

const now = new Date('2026-05-05T12:00:00Z')
const key = { status: 'active', old_secret_until: '2026-05-05T12:00:01Z', expires_at: null } as const

test('an old value is shown only while it works', async () => {
  assert.equal(oldValueUntil(key, now), key.old_secret_until)
  assert.equal(oldValueUntil({ ...key, old_secret_until: null }, now), null)
  assert.equal(oldValueUntil({ ...key, old_secret_until: '2026-05-05T12:00:00Z' }, now), null)
  assert.equal(oldValueUntil({ ...key, status: 'revoked' }, now), null)
})

test('an old value works no longer than its key', async () => {
  const soon = '2026-05-05T12:00:00.500Z'
  assert.equal(oldValueUntil({ ...key, expires_at: soon }, now), soon)
  assert.equal(oldValueUntil({ ...key, expires_at: '2026-05-05T11:00:00Z' }, now), null)
})
