import assert from 'node:assert/strict'
import type { Model } from '@tollgate/contracts/catalog/catalog.ts'
import { rareCounts } from '@tollgate/contracts/meters/meters.ts'
import { pricedTiers, standardOnly } from '@tollgate/contracts/prices/model-prices.ts'
import { propertyRuns } from '@tollgate/sandbox/property-runs.ts'
import { loadCatalogFile } from '@tollgate/service/catalog/catalog-file.ts'
import { workspaceFile } from '@tollgate/service/workspace.ts'
import fc from 'fast-check'
import { test } from 'tap'
import { readUsage } from '../apis/chat/chat-usage.ts'
import { priceOf } from '../settlement/price.ts'
import { grantSearches } from '../tokens/hosted-searches.ts'
import { audioBound } from '../tokens/media/media-bound.ts'
import type { TokenBound } from '../tokens/token-bound.ts'
import { noUsage, type Usage } from '../usage/usage.ts'
import { costBound } from './cost-bound.ts'
import { allowedTiers } from './unpriced-members.ts'

const { models, plans } = loadCatalogFile(workspaceFile('deploy/catalog.yaml'))

/** From the day of this catalog over all of its dates, at every minute of the day. */
const times = fc.integer({ min: Date.parse('2026-11-20'), max: Date.parse('2027-04-01') })
/** Up to a part of `most`, with its ends more often than not. */
const upTo = (most: number) => fc.oneof(fc.nat({ max: most }), fc.constantFrom(0, most))

/** A request that the gateway would admit: its bound, and the tier that it asks for. */
const requestsOf = (model: Model) =>
  fc
    .record({
      promptTokens: fc.integer({ min: 1, max: model.contextWindow }),
      audioTokens: model.audio === undefined ? fc.constant(0) : fc.nat({ max: model.contextWindow }),
      imageTokens: model.images === undefined ? fc.constant(0) : fc.nat({ max: model.contextWindow }),
      answers: fc.integer({ min: 1, max: 4 }),
      wantedTokens: fc.nat({ max: model.maxOutputTokens }),
      cacheWrites: fc.constantFrom('none' as const, 'short' as const, undefined),
      tier: fc.constantFrom(undefined, 'auto', ...pricedTiers(model.prices))
    })
    .map(({ tier, cacheWrites, audioTokens, imageTokens, ...counts }) => {
      const { promptTokens } = counts
      const bound: TokenBound = {
        ...counts,
        promptTokens: Math.max(promptTokens, audioTokens + imageTokens),
        others: { audioInputTokens: audioTokens, imageInputTokens: imageTokens },
        tiers: allowedTiers(tier, model.prices),
        ...(cacheWrites !== undefined && { cacheWrites })
      }
      return bound
    })

/** Any usage within a bound. The kinds may overlap. */
const usagesWithin = (bound: TokenBound, { prices }: Model) =>
  fc
    .record({ promptTokens: upTo(bound.promptTokens), completionTokens: upTo(bound.answers * bound.wantedTokens) })
    .chain(({ promptTokens, completionTokens }) => {
      const ofPrompt = (isPossible: boolean, most = promptTokens) =>
        isPossible ? upTo(Math.min(most, promptTokens)) : fc.constant(0)
      const ofOutput = (isPossible: boolean) => (isPossible ? upTo(completionTokens) : fc.constant(0))
      return fc.record({
        promptTokens: fc.constant(promptTokens),
        completionTokens: fc.constant(completionTokens),
        cachedTokens: upTo(promptTokens),
        reasoningTokens: upTo(completionTokens),
        rare: fc
          .record({
            cacheWriteTokens: ofPrompt(prices.cacheWritePicos !== undefined && bound.cacheWrites !== 'none'),
            longCacheWriteTokens: ofPrompt(prices.longCacheWritePicos !== undefined && bound.cacheWrites === undefined),
            audioInputTokens: ofPrompt(true, bound.others?.audioInputTokens),
            imageInputTokens: ofPrompt(true, bound.others?.imageInputTokens),
            audioOutputTokens: ofOutput(prices.audioOutputPicos !== undefined)
          })
          .map(rareCounts),
        tier: fc.constantFrom(null, 'a tier without a price', ...bound.tiers!)
      })
    })
    .map((counts): Usage => ({ ...noUsage, ...counts }))

test('for every shipped model, no usage within the bounds of a request costs more than was reserved', async () => {
  for (const [name, model] of Object.entries(models)) {
    const cases = fc
      .tuple(requestsOf(model), times, fc.nat({ max: 1_000_000 }))
      .chain(([bound, from, ms]) =>
        fc.tuple(fc.constant({ bound, from, until: from + ms }), usagesWithin(bound, model))
      )
    fc.assert(
      fc.property(cases, ([{ bound, from, until }, usage]) => {
        const { promptPicos, outputPicos } = costBound(bound, model, model.prices, { from, until })
        const reserved = Math.ceil((promptPicos + outputPicos * bound.wantedTokens) / 1000)
        const call = { prices: model.prices, tiers: bound.tiers!, admittedAt: from, endedAt: until }
        const charged = priceOf(usage, call).costNanos
        assert.ok(charged <= reserved, `${name}: charged ${charged}, reserved ${reserved}`)
      }),
      propertyRuns(60, 200)
    )
  }
})

test('prices with dates, hours, lengths and tiers have those of the provider’s page', async () => {
  const million = (name: string, member: 'inputPicos' | 'outputPicos', at: string, tokens = 1000, tier = 'default') => {
    const usage: Usage = {
      ...noUsage,
      promptTokens: member === 'inputPicos' ? tokens : 0,
      completionTokens: member === 'outputPicos' ? tokens : 0,
      tier
    }
    const time = Date.parse(at)
    const call = { prices: models[name]!.prices, tiers: [tier], admittedAt: time, endedAt: time }
    return priceOf(usage, call).costNanos / tokens / 1000
  }
  // A Monday. Peak hours: 01:00 to 04:00 and 06:00 to 10:00.
  assert.equal(million('deepseek-v4-pro', 'inputPicos', '2026-11-23T07:00:00Z'), 1.32)
  assert.equal(million('deepseek-v4-pro', 'inputPicos', '2026-11-23T10:00:00Z'), 0.66)
  assert.equal(million('deepseek-v4-pro', 'outputPicos', '2026-11-22T07:00:00Z'), 1.98, 'a Sunday')
  assert.equal(million('gemini-4-argon', 'inputPicos', '2026-11-30T23:59:59Z'), 2)
  assert.equal(million('gemini-4-argon', 'inputPicos', '2026-12-01T00:00:00Z'), 4)
  assert.equal(million('gemini-3.8-flash', 'outputPicos', '2026-12-31T12:00:00Z'), 3.75)
  assert.equal(million('gemini-3.8-flash', 'outputPicos', '2027-01-01T00:00:00Z'), 7.5)
  assert.equal(million('claude-haiku-5-5', 'inputPicos', '2026-11-23', 100_000), 0.1)
  assert.equal(million('claude-haiku-5-5', 'inputPicos', '2026-11-23', 100_001), 0.5)
  assert.equal(million('gpt-6.2-sol', 'inputPicos', '2026-11-23', 272_001, 'priority'), 8)
  assert.equal(million('gpt-6.2-sol', 'outputPicos', '2027-02-28T12:00:00Z', 1000, 'ultrafast'), 30)
  assert.equal(million('gpt-6.2-sol', 'outputPicos', '2027-03-01T00:00:00Z', 1000, 'ultrafast'), 60)
  // 750 tokens are a minute of audio.
  const audio: Usage = { ...noUsage, promptTokens: 750, rare: { audioInputTokens: 750 }, tier: 'default' }
  const { prices } = models['voxtral-small-2507']!
  const at = Date.parse('2026-11-23')
  assert.equal(priceOf(audio, { prices, tiers: ['default'], admittedAt: at, endedAt: at }).costNanos, 4_000_001)
  // Mistral bills 12 s for a recording of 11.4 s.
  const { tokens } = audioBound({ kind: 'audio', seconds: 11.4, bytes: 1 }, models['voxtral-small-2507']!)
  const billed = readUsage({ prompt_audio_seconds: 12, prompt_tokens: 3, completion_tokens: 41, total_tokens: 419 })
  assert.equal(billed!.rare?.audioInputTokens, tokens)
})

test('the shipped plans that are sold take a search of the web, with each model that has a price for it', async () => {
  const { pro } = plans
  const bound = { promptTokens: 4000, answers: 1, wantedTokens: 1000 }
  const search = { asked: 1, limit: () => ({ start: 0, end: 0, json: '' }) }
  const ofResponse = { ...search, passes: () => 2, outputs: () => 1 }
  const ofMessage = { ...search, passes: () => 10, outputs: () => 10 }
  const time = { from: Date.parse('2026-12-01'), until: Date.parse('2026-12-01') }
  for (const [name, model] of Object.entries(models)) {
    if (model.prices.callNanos?.web_search === undefined) continue
    const searches = model.ownedBy === 'anthropic' ? ofMessage : ofResponse
    const { promptPicos, outputPicos, wantedTokens } = costBound(
      grantSearches({ ...bound, searches, tiers: standardOnly }, model),
      model,
      model.prices,
      time
    )
    const nanos = (promptPicos + outputPicos * wantedTokens) / 1000
    assert.ok(nanos <= pro!.caps.requestNanos, `${name}: USD ${nanos / 1e9}`)
  }
})
