import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'tap'
import { parse } from 'yaml'
import { workspaceFile } from '../workspace.ts'
import { type CatalogFile, loadCatalogFile } from './catalog-file.ts'

const shipped = workspaceFile('deploy/catalog.yaml')
const { models, plans } = loadCatalogFile(shipped)
const file = parse(readFileSync(shipped, 'utf8')) as CatalogFile

test('every price of the shipped catalog has its source and its day', async () => {
  for (const [name, { source, as_of: asOf }] of Object.entries(file.models)) {
    assert.match(source ?? '', /^https:\/\/[a-z.-]+\/|^your own machine$/, name)
    const at = Date.parse(asOf ?? '')
    assert.ok(at > Date.parse('2026-05-23') && at <= Date.now(), `${name}: ${asOf}`)
  }
})

test('the free plan has a chat model of every provider, and every other plan has all models', async () => {
  const providers = (names: readonly string[]) => new Set(names.map((name) => models[name]!.ownedBy))
  const chats = plans.free!.models.filter((name) => models[name]!.kind === 'chat')
  assert.deepEqual(providers(chats), providers(Object.keys(models)))
  for (const [id, plan] of Object.entries(plans)) {
    if (id !== 'free') assert.deepEqual(plan.models, Object.keys(models), id)
  }
})

test('a model accepts images only by a rule of its provider', async () => {
  const textOnly = Object.keys(models).filter((name) => {
    const { images, kind } = models[name]!
    return images === undefined && kind === 'chat'
  })
  assert.deepEqual(textOnly, [
    ...['gpt-audio-1.5', 'gemini-2.5-flash-lite', 'codestral-2508', 'voxtral-small-2507'],
    ...['deepseek-flash', 'deepseek-v4-pro', 'openai/gpt-oss-120b', 'openai/gpt-oss-20b', 'qwen/qwen3.8-27b'],
    ...['local/gpt-oss-20b', 'local/qwen3-8b']
  ])
  assert.deepEqual(models['gpt-4o-mini']!.images, { rule: 'tiles', base: 2833, perTile: 5667 })
})

test('models whose providers know no max_completion_tokens get max_tokens', async () => {
  for (const { ownedBy, kind, outputParameter } of Object.values(models)) {
    if (kind === 'chat' && ['mistral', 'deepseek', 'local'].includes(ownedBy))
      assert.equal(outputParameter, 'max_tokens')
  }
})
