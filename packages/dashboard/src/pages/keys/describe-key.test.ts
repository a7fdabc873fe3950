import assert from 'node:assert/strict'
import { test } from 'tap'
import { shownPrefix } from '../../format/key.ts'
import { modelToTry } from './describe-key.ts'

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
