import assert from 'node:assert/strict'
import type { ModelPrices } from '@tollgate/contracts/prices/model-prices.ts'
import t from 'tap'
import { type ApiName, clientApis, hangUpAfter, hangUpAt, send } from './ask.ts'
import { chatModel, everyPrice, planOf, prices } from './catalog.ts'
import { hasNoHolds, producedNanos, untilCharges } from './charges.ts'
import { type Fleet, startFleet } from './fleet.ts'
import { longText, spoken } from './kinds/kind.ts'
import { seededRandom } from './traffic.ts'

const clients = 16
const maxRequests = 320
const refusalsUntilEnd = 5
const tokenizer = 'o200k_base'
const models = {
  reasoning: {
    ...chatModel('x+reasoning-tokens=5000+think-ms=30'),
    maxOutputTokens: 32_768,
    hidesOutput: true,
    tokenizer
  } as const,
  billed: { ...chatModel('x+bills-aborted', 'billing'), tokenizer } as const,
  listening: { ...chatModel('x'), tokenizer, audio: { tokensPerSecond: 10 } } as const,
  ordinary: { ...chatModel('x'), tokenizer } as const,
  priced: { ...chatModel('x'), tokenizer, prices: everyPrice } as const
}

let fleet: Fleet
t.before(async () => {
  fleet = await startFleet({ gateways: 2, catalog: { models, plans: { free: planOf(models) } } })
})
t.teardown(() => fleet.stop())

const question = (model: string, maxTokens: number, words: number) => ({
  model,
  stream: true,
  max_tokens: maxTokens,
  messages: [{ role: 'user', content: `Say ${words} words.` }]
})

/** The same question in another API. */
function questionTo(api: ApiName, model: string, maxTokens: number, words: number): object {
  const { messages, max_tokens, ...others } = question(model, maxTokens, words)
  return api === 'responses'
    ? { ...others, max_output_tokens: max_tokens, input: messages }
    : { ...others, max_tokens, messages }
}

/** A prompt that the provider writes into its cache for an hour. */
const cached = (words: number) => ({
  ...question('priced', 200, words),
  system: [{ type: 'text', text: longText(random), cache_control: { type: 'ephemeral', ttl: '1h' } }]
})
const random = seededRandom(15)
type HangUp = (response: Response, api: ApiName) => Promise<string>
const beforeTheFirstWord: HangUp = (response) => hangUpAfter(response, 0)
const atTheFirstWord: HangUp = (response, api) => hangUpAt(response, clientApis[api].firstWord)
const atRandom: HangUp = (response) => hangUpAfter(response, 1 + Math.floor(random() * 40))

type Case = readonly [
  name: string,
  cap: number,
  body: () => object,
  hangUp: HangUp,
  api?: ApiName,
  listed?: ModelPrices
]

for (const [name, cap, body, hangUp, api = 'chat', listed = prices] of [
  ['a reasoning model, before the first word', 100_000_000, () => question('reasoning', 8000, 50), beforeTheFirstWord],
  ['a reasoning model, at the first word', 100_000_000, () => question('reasoning', 8000, 50), atTheFirstWord],
  ['a provider that bills aborted calls', 20_000_000, () => question('billed', 1000, 500), atTheFirstWord],
  ['audio', 3_000_000, () => ({ ...question('listening', 50, 9), ...spoken(random) }), atTheFirstWord],
  ['ordinary streams', 100_000_000, () => question('ordinary', 200, 150), atRandom],
  ...(['responses', 'messages'] as const).flatMap((api): Case[] => [
    [
      `${api} of a reasoning model, at the first word`,
      100_000_000,
      () => questionTo(api, 'reasoning', 8000, 50),
      atTheFirstWord,
      api
    ],
    [`ordinary ${api}`, 30_000_000, () => questionTo(api, 'ordinary', 200, 150), atRandom, api],
    [
      `${api} of a provider that bills aborted calls`,
      20_000_000,
      () => questionTo(api, 'billed', 1000, 500),
      atTheFirstWord,
      api
    ]
  ]),
  [
    'messages that are cached, before the first word',
    100_000_000,
    () => cached(150),
    beforeTheFirstWord,
    'messages',
    everyPrice
  ],
  ['messages that are cached, at random', 100_000_000, () => cached(150), atRandom, 'messages', everyPrice]
] as readonly Case[]) {
  t.test(`hanging up spends the client's budget, not the operator's money: ${name}`, async () => {
    const { records, urls } = fleet
    const account = await records.addAccount({ ownCapNanos: cap })
    const [key] = await records.addKeys(account, 1)
    fleet.models.clear()
    let refused = 0
    let sent = 0
    await Promise.all(
      Array.from({ length: clients }, async () => {
        while (refused < refusalsUntilEnd && sent < maxRequests) {
          const response = await send(urls[sent++ % urls.length]!, key!.secret, body(), { api })
          if (response.status === 200) await hangUp(response, api)
          else {
            assert.match(await response.text(), /"monthly_budget_exceeded"/)
            refused++
          }
        }
      })
    )
    const { settled } = await untilCharges(fleet.records.link, account, hasNoHolds)
    const produced = producedNanos(fleet.models.requests(), listed)
    const numbers = `cap ${cap}, produced ${produced}, charged ${settled}, requests ${sent}, refused ${refused}`
    assert.ok(produced > 0 && produced <= settled && settled <= cap, numbers)
  })
}
