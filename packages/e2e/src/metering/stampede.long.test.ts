import assert from 'node:assert/strict'
import { passDeadlines } from '@tollgate/state/testing/account-state.ts'
import t from 'tap'
import { type Answer, type ApiName, ask, clientApis, hangUpAfter, send } from './ask.ts'
import { chatModel, planOf, prices } from './catalog.ts'
import { hasNoHolds, hasWorked, producedNanos, sumUsage, untilCharges } from './charges.ts'
import { type Fleet, startFleet } from './fleet.ts'
import { Gate } from './traffic.ts'

const gateways = 4
const clients = 400
const answerTokens = 200
const models = {
  quick: chatModel('x+pace-ms=0'),
  ...Object.fromEntries(Array.from({ length: gateways }, (_, at) => [`paced-${at}`, chatModel(`x+pace-ms=4`)]))
}

/** The APIs whose requests share a budget. */
const apis = ['chat', 'responses', 'messages'] as const satisfies readonly ApiName[]
type Api = (typeof apis)[number]
const apiOf = (client: number): Api => apis[client % apis.length]!

function question(api: Api, model: string, stream: boolean): object {
  const text = `Say ${answerTokens} words.`
  const limit = { [clientApis[api].outputLimit]: answerTokens }
  const prompt = api === 'responses' ? { input: text } : { messages: [{ role: 'user', content: text }] }
  return { model, stream, ...limit, ...prompt }
}

/** Maximum cost of a question as gateways compute it: its bytes, 8 tokens per message, and the maximum output. */
function boundNanos(body: object): number {
  const promptTokens = Buffer.byteLength(JSON.stringify(body)) + 8
  return Math.ceil((promptTokens * prices.inputPicos + answerTokens * prices.outputPicos) / 1000)
}

/** The largest bound of all APIs. */
const maxBoundNanos = (model: string, stream: boolean): number =>
  Math.max(...apis.map((api) => boundNanos(question(api, model, stream))))

const nanosOf = (usd: unknown): number => Math.round(Number(usd) * 1e9)

const gate = new Gate()
let fleet: Fleet
t.before(async () => {
  fleet = await startFleet({ gateways, beforeAnswer: gate.pass, catalog: { models, plans: { free: planOf(models) } } })
})
t.teardown(() => {
  gate.open()
  return fleet.stop()
})
t.beforeEach(() => fleet.models.clear())

/** The expected refusal. The final `true`: by its own amounts, the request does not fit in the budget. */
function expectedRefusal(cap: number): unknown[] {
  const now = new Date()
  const resetsAt = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1)).toISOString()
  return [402, 'monthly_budget_exceeded', 'account', cap, resetsAt, true]
}

function refusalOf({ status, error }: Answer): unknown[] {
  const { code, scope, resets_at: resetsAt } = error!
  const [limit = 0, spent = 0, reserved = 0, needed = 0] = [
    error!.limit_usd,
    error!.spent_usd,
    error!.reserved_usd,
    error!.needed_usd
  ].map(nanosOf)
  const isRight = spent + reserved <= limit && spent + reserved + needed > limit
  return [status, code, scope, limit, resetsAt, isRight]
}

/** Checks that all refusals state the correct reason. */
function checkRefusals(refused: readonly Answer[], cap: number): void {
  const different = new Set(refused.map((answer) => JSON.stringify(refusalOf(answer))))
  assert.deepEqual(
    [...different].map((text) => JSON.parse(text)),
    [expectedRefusal(cap)]
  )
}

for (const stream of [false, true]) {
  t.test(
    `${stream ? 'streams' : 'requests'} of all APIs with ten times the budget arrive at once: they fill the cap and never exceed it`,
    async () => {
      const { records, urls } = fleet
      const bound = maxBoundNanos('quick', stream)
      // Not a multiple of the bound, so the last admitted request gets a shorter maximum output.
      const fitting = clients / 10
      const cap = Math.floor((fitting - 0.5) * bound)
      const account = await records.addAccount({ ownCapNanos: cap })
      const key = await records.addKey(account)

      let refused = 0
      gate.close()
      const asking = Array.from({ length: clients }, async (_, client) => {
        const api = apiOf(client)
        const answer = await ask(urls[client % gateways]!, key.secret, question(api, 'quick', stream), { api })
        if (answer.status !== 200) refused++
        return answer
      })
      const peak = await untilCharges(records.link, account, ({ holds }) => holds.length + refused === clients)
      assert.equal(peak.settled, 0, 'no request is settled yet')
      assert.ok(
        peak.reserved <= cap && peak.reserved > cap - bound,
        `${peak.reserved} reserved of ${cap}, one request is ${bound}`
      )
      assert.equal(
        peak.holds.reduce((sum, { nanos }) => sum + nanos, 0),
        peak.reserved
      )

      gate.open()
      const answers = await Promise.all(asking)
      const served = answers.filter(({ status }) => status === 200)
      assert.equal(served.length, peak.holds.length)
      checkRefusals(
        answers.filter(({ status }) => status !== 200),
        cap
      )
      const after = await untilCharges(records.link, account, hasNoHolds)
      const produced = producedNanos(fleet.models.requests(), prices)
      assert.ok(produced <= cap, `${produced} produced`)
      assert.partialDeepStrictEqual(after, { settled: produced, reserved: 0 })
      assert.partialDeepStrictEqual(sumUsage(after), {
        requests: served.length,
        costNanos: produced,
        estimatedRequests: 0
      })
    }
  )

  t.test(`clients of all APIs that retry spend the budget to within one ${stream ? 'stream' : 'request'}`, async () => {
    const { records, urls } = fleet
    const bound = maxBoundNanos('quick', stream)
    const cap = 40 * bound
    const account = await records.addAccount({ ownCapNanos: cap })
    const key = await records.addKey(account)
    const refused: Answer[] = []
    await Promise.all(
      Array.from({ length: 40 }, async (_, client) => {
        for (let request = 0; ; request++) {
          const api = apiOf(client)
          const body = question(api, 'quick', stream)
          const answer = await ask(urls[(client + request) % gateways]!, key.secret, body, { api })
          if (answer.status === 200) continue
          refused.push(answer)
          // No hold is open, so no budget can become free.
          if (nanosOf(answer.error!.reserved_usd) === 0) return
        }
      })
    )
    checkRefusals(refused, cap)
    const after = await untilCharges(records.link, account, hasNoHolds)
    assert.equal(after.settled, producedNanos(fleet.models.requests(), prices))
    assert.ok(
      after.settled <= cap && after.settled > cap - bound,
      `${after.settled} of ${cap}, one request is ${bound}`
    )
  })
}

t.test(
  'with hang-ups and a killed gateway the cap holds, and only the holds of that gateway are estimated',
  async () => {
    const { records, urls, models: server } = fleet
    const bound = maxBoundNanos('paced-0', true)
    const cap = 60 * bound
    const account = await records.addAccount({ ownCapNanos: cap })
    const key = await records.addKey(account)
    const killed = gateways - 1
    let hungUp = 0
    const firstHungUp = Promise.withResolvers<void>()

    async function runClient(at: number, client: number): Promise<void> {
      for (let request = 0; request < 4; request++) {
        const api = apiOf(client + request)
        const response = await send(urls[at]!, key.secret, question(api, `paced-${at}`, true), { api })
        if (response.status === 200 && at !== killed && Math.random() < 0.5) {
          await hangUpAfter(response, Math.ceil(Math.random() * 100))
          hungUp++
          firstHungUp.resolve()
        } else await response.text()
      }
    }
    const startClients = (at: number, count: number) =>
      Array.from({ length: count }, (_, client) => runClient(at, client))

    const ofKilled = Promise.allSettled(startClients(killed, 20))
    await untilCharges(records.link, account, ({ holds }) => holds.length >= 10)
    const ofOthers = Promise.all([0, 1, 2].flatMap((at) => startClients(at, 35)))
    await firstHungUp.promise
    await fleet.gateways[killed]!.kill('SIGKILL')
    await Promise.all([ofKilled, ofOthers])

    const left = await untilCharges(records.link, account, ({ holds }) =>
      holds.every(({ model }) => model === `paced-${killed}`)
    )
    assert.ok(left.holds.length > 0, `${left.holds.length} holds of the killed gateway are open`)
    assert.ok(hungUp > 5, `${hungUp} hang-ups`)
    assert.ok(left.settled + left.reserved <= cap)
    assert.equal(
      left.holds.reduce((sum, { nanos }) => sum + nanos, 0),
      left.reserved
    )

    await passDeadlines(records.link.client, account)
    await ask(urls[0]!, key.secret, question('chat', 'quick', false))
    const after = await untilCharges(records.link, account, hasNoHolds)
    const calls = server.requests().filter(hasWorked)
    const produced = producedNanos(calls, prices)
    assert.ok(produced <= cap, `${produced} produced`)
    assert.ok(after.settled <= cap, `${after.settled} charged`)
    assert.equal(after.reserved, 0)

    const lost = new Set(left.holds.map(({ id }) => id))
    const isLost = ({ requestId }: { requestId: string | null }) => lost.has(requestId ?? '')
    const seen = calls.filter((call) => !isLost(call))
    assert.ok(
      after.settled - left.reserved >= producedNanos(seen, prices),
      'all other requests are charged at least what was produced'
    )
    assert.partialDeepStrictEqual(
      sumUsage(after, `paced-${killed}`),
      { estimatedRequests: lost.size, estimatedNanos: left.reserved },
      'the holds of the killed gateway are charged in full, as estimates'
    )
  }
)
