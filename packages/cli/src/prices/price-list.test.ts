import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { test } from 'tap'
import { openPriceList, priceListVersion } from './price-list.ts'

const at = Date.parse('2026-11-23T15:00:00Z')

test('the day of the list belongs to the installed version', async () => {
  const library = createRequire(import.meta.url).resolve('@pydantic/genai-prices')
  const { version } = JSON.parse(readFileSync(join(library, '../../package.json'), 'utf8'))
  assert.equal(version, priceListVersion, 'change priceListDay, too: npm view @pydantic/genai-prices time')
})

test('the provider is that of the host, else of the upstream’s name, else the owner', async () => {
  const urls = {
    azure: 'https://name.openai.azure.com/openai/deployments/d?api-version=1',
    openai: 'http://127.0.0.1:8000/v1',
    proxy: 'https://api.anthropic.com/v1'
  }
  const list = await openPriceList(new Map(Object.entries(urls)))
  const idOf = (upstream: string, model: string, ownedBy: string) => list.find({ upstream, model, ownedBy }, at)?.id
  assert.equal(idOf('azure', 'gpt-4o', 'openai'), 'azure/gpt-4o')
  assert.equal(idOf('proxy', 'claude-haiku-4-5', 'acme'), 'anthropic/claude-haiku-4-5')
  assert.equal(idOf('openai', 'gpt-4o', 'acme'), 'openai/gpt-4o')
  assert.equal(idOf('my-openai', 'gpt-4o', 'acme'), undefined, 'a name that only contains a provider’s')
  assert.equal(idOf('other', 'gpt-4o', 'openai'), 'openai/gpt-4o')
  assert.equal(idOf('openai', 'no-such-model', 'openai'), undefined)
})

test('an entry has the prices of a time', async () => {
  const list = await openPriceList(new Map())
  const served = { upstream: 'gemini', model: 'gemini-3.6-flash', ownedBy: 'google' }
  const input = (day: string) => list.find(served, Date.parse(day))?.prices.input_mtok
  assert.ok(Number(input('2027-01-02')) > Number(input('2026-12-30')))
})
