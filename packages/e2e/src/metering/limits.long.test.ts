import assert from 'node:assert/strict'
import { setTimeout as delay } from 'node:timers/promises'
import OpenAI from 'openai'
import t from 'tap'
import { type Answer, ask } from './ask.ts'
import { chatModel, planOf } from './catalog.ts'
import { untilCharges } from './charges.ts'
import { type Fleet, startFleet } from './fleet.ts'
import { Gate } from './traffic.ts'

const gateways = 4
const clients = 16
/** How long traffic continues after the burst is used up. */
const afterBurstMs = 2000
const requestsPerMinute = 120
const burstRequests = 40
const tokensPerMinute = 20_000
/** As many tokens as all clients hold at once. */
const burstTokens = 12_000
const models = { chat: chatModel('x+pace-ms=0') }
const plans = {
  free: planOf(models),
  requests: planOf(models, { requestsPerMinute, burstRequests }),
  tokens: planOf(models, { tokensPerMinute, burstTokens }),
  concurrent: planOf(models, { concurrentRequests: 5 })
}
const question = (maxTokens: number) => ({
  model: 'chat',
  max_tokens: maxTokens,
  messages: [{ role: 'user' as const, content: 'Say 100 words.' }]
})

const gate = new Gate()
let fleet: Fleet
t.before(async () => {
  fleet = await startFleet({ gateways, beforeAnswer: gate.pass, catalog: { models, plans } })
})
t.teardown(() => {
  gate.open()
  return fleet.stop()
})

/** A request that was admitted between these two times, ms. */
interface Passed {
  sentAt: number
  answeredAt: number
  units: number
}

/** Sends as many requests as possible through all gateways, until `afterBurstMs` after the first refusal. */
async function flood(secret: string, maxTokens: number, unitsOf: (answer: Answer) => number) {
  const startedAt = performance.now()
  const passed: Passed[] = []
  let lastRefusedSentAt = 0
  const refused = new Set<string>()
  let endsAt = Number.POSITIVE_INFINITY
  await Promise.all(
    Array.from({ length: clients }, async (_, client) => {
      for (let request = 0; performance.now() < endsAt; request++) {
        const sentAt = performance.now()
        const answer = await ask(fleet.urls[(client + request) % gateways]!, secret, question(maxTokens))
        if (answer.status === 200) {
          passed.push({ sentAt, answeredAt: performance.now(), units: unitsOf(answer) })
          continue
        }
        if (refused.size === 0) endsAt = performance.now() + afterBurstMs
        refused.add(`${answer.status} ${answer.error!.code}`)
        lastRefusedSentAt = Math.max(lastRefusedSentAt, sentAt)
        // Without a pause the gateways would only answer refusals.
        await delay(20)
      }
    })
  )
  return { passed, refused, lastRefusedSentAt, ms: performance.now() - startedAt }
}

/** The largest excess of any time window over its burst plus refill. */
function worstExcess(passed: readonly Passed[], burst: number, perMinute: number): number {
  let worst = Number.NEGATIVE_INFINITY
  for (const { sentAt: from } of passed) {
    const within = passed.filter(({ sentAt }) => sentAt >= from).toSorted((one, two) => one.answeredAt - two.answeredAt)
    let units = 0
    for (const { answeredAt: to, units: more } of within) {
      units += more
      worst = Math.max(worst, units - burst - ((to - from) * perMinute) / 60_000)
    }
  }
  return worst
}

t.test('over all gateways, no time window passes more requests than the burst plus the refill', async () => {
  const { secret } = await fleet.records.addKey(await fleet.records.addAccount({ plan: 'requests' }))
  const { passed, refused, lastRefusedSentAt } = await flood(secret, 1, () => 1)
  assert.deepEqual([...refused], ['429 requests_per_minute'])
  const excess = worstExcess(passed, burstRequests, requestsPerMinute)
  assert.ok(excess <= 0.5, `${excess} too many in the worst window`)
  // Requests were refused, so everything refilled before the last refusal was used, even on a slow machine.
  const ms = lastRefusedSentAt - Math.min(...passed.map(({ answeredAt }) => answeredAt))
  const min = burstRequests - 1 + Math.floor((ms * requestsPerMinute) / 60_000)
  assert.ok(passed.length >= min, `${passed.length} passed in ${Math.round(ms)} ms, which allow ${min}`)
})

t.test('over all gateways, no time window uses more tokens than the burst plus the refill', async () => {
  const { secret } = await fleet.records.addKey(await fleet.records.addAccount({ plan: 'tokens' }))
  const used = ({ text }: Answer): number => JSON.parse(text).usage.total_tokens
  const { passed, refused, ms } = await flood(secret, 300, used)
  assert.deepEqual([...refused], ['429 tokens_per_minute'])
  const excess = worstExcess(passed, burstTokens, tokensPerMinute)
  assert.ok(excess <= 0, `${excess} too many in the worst window`)
  const sum = passed.reduce((all, { units }) => all + units, 0)
  // Each running request holds more tokens than it uses in the end.
  const min = burstTokens - 600 * clients
  assert.ok(sum >= min, `${sum} used in ${Math.round(ms)} ms, of ${burstTokens}`)
})

t.test('over all gateways, as many requests run at once as the plan allows', async () => {
  const account = await fleet.records.addAccount({ plan: 'concurrent' })
  const { secret } = await fleet.records.addKey(account)
  let refused = 0
  gate.close()
  const asking = Array.from({ length: 20 }, async (_, client) => {
    const answer = await ask(fleet.urls[client % gateways]!, secret, question(5))
    if (answer.status !== 200) refused++
    return answer
  })
  await untilCharges(fleet.records.link, account, ({ holds }) => holds.length + refused === asking.length)
  gate.open()
  const answers = await Promise.all(asking)
  const outcomes = answers.map(({ status, error }) => `${status} ${error?.code ?? ''}`).toSorted()
  assert.deepEqual(outcomes, [...Array(5).fill('200 '), ...Array(15).fill('429 concurrent_requests')])
})

/** Requests per minute, slow enough that nothing refills during the test. */
const slowPerMinute = 12
/** A sixth of the rate, like the burst of the plan. */
const slowBurst = 2

t.test(
  'exactly the remaining requests in the header pass at once, and the next one passes after Retry-After',
  async () => {
    const account = await fleet.records.addAccount()
    const { secret } = await fleet.records.addKey(account, { requestsPerMinute: slowPerMinute })
    const first = await ask(fleet.urls[0]!, secret, question(1))
    assert.equal(first.headers.get('x-ratelimit-limit-requests'), String(slowPerMinute))
    const left = Number(first.headers.get('x-ratelimit-remaining-requests'))
    assert.equal(left, slowBurst - 1)

    const startedAt = performance.now()
    const answers = await Promise.all(
      Array.from({ length: left + 6 }, (_, client) => ask(fleet.urls[client % gateways]!, secret, question(1)))
    )
    const passed = answers.filter(({ status }) => status === 200)
    const refused = answers.filter(({ status }) => status === 429)
    const refilled = () => Math.floor(((performance.now() - startedAt) * slowPerMinute) / 60_000)
    assert.ok(passed.length >= left && passed.length <= left + refilled(), `${passed.length} of ${left} passed`)
    assert.deepEqual(new Set(refused.map(({ error }) => error!.code)), new Set(['requests_per_minute']))
    const remaining = passed.map(({ headers }) => Number(headers.get('x-ratelimit-remaining-requests')))
    assert.deepEqual(
      remaining.toSorted((one, other) => other - one).slice(0, left),
      [...Array(left).keys()].toReversed()
    )
    for (const { headers } of refused) {
      assert.equal(headers.get('x-ratelimit-remaining-requests'), '0')
      assert.match(headers.get('x-ratelimit-reset-requests')!, /^(\d+s|\d+\.\d+s|1m0s)$/)
    }
    let last = await ask(fleet.urls[0]!, secret, question(1))
    while (last.status === 200) last = await ask(fleet.urls[0]!, secret, question(1))
    const retryAfter = Number(last.headers.get('retry-after'))
    assert.ok(retryAfter > 0 && retryAfter <= 60 / slowPerMinute, `${retryAfter} s`)
    await delay(retryAfter * 1000)
    const refilledAt = performance.now()
    assert.equal((await ask(fleet.urls[1]!, secret, question(1))).status, 200)
    const { status } = await ask(fleet.urls[2]!, secret, question(1))
    // On a slow machine the next one may have refilled, too.
    if (performance.now() - refilledAt < 60_000 / slowPerMinute) assert.equal(status, 429)

    const client = new OpenAI({ baseURL: `${fleet.urls[3]}/v1`, apiKey: secret })
    const answer = await client.chat.completions.create(question(1))
    assert.equal(answer.choices.length, 1, 'the official client waits and succeeds')
  }
)
