import { passDeadlines } from '@tollgate/state/testing/account-state.ts'
import t, { type Test } from 'tap'
import { type Answer, ask, hangUpAfter, send } from './ask.ts'
import { chatModel, planOf, prices } from './catalog.ts'
import { hasNoHolds, sumUsage, untilCharges } from './charges.ts'
import { type Fleet, startFleet } from './fleet.ts'
import { Gate } from './gate.ts'
import { hasWorked, producedNanos } from './produced.ts'

const gateways = 4
const clients = 400
const answerTokens = 200
const models = {
  quick: chatModel('x+pace-ms=0'),
  ...Object.fromEntries(Array.from({ length: gateways }, (_, at) => [`paced-${at}`, chatModel(`x+pace-ms=4`)]))
}

const question = (model: string, stream: boolean) => ({
  model,
  stream,
  max_tokens: answerTokens,
  messages: [{ role: 'user', content: `Say ${answerTokens} words.` }]
})

/** What a question may cost at most, as the gateways reckon: its bytes and 8 tokens for a message, and the whole answer. */
function boundNanos(body: object): number {
  const promptTokens = Buffer.byteLength(JSON.stringify(body)) + 8
  return Math.ceil((promptTokens * prices.inputPicos + answerTokens * prices.outputPicos) / 1000)
}

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

/** What a refusal should be, beside the amounts: those are spent and held, and the request really does not fit in. */
function expectedRefusal(cap: number): unknown[] {
  const now = new Date()
  const resetsAt = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1)).toISOString()
  return [402, 'budget_error', 'monthly_budget_exceeded', 'account', cap, resetsAt, true]
}

function refusalOf({ status, error }: Answer): unknown[] {
  const { type, code, scope, resets_at: resetsAt } = error!
  const [limit = 0, spent = 0, reserved = 0, needed = 0] = [
    error!.limit_usd,
    error!.spent_usd,
    error!.reserved_usd,
    error!.needed_usd
  ].map(nanosOf)
  const isRight = spent + reserved <= limit && spent + reserved + needed > limit
  return [status, type, code, scope, limit, resetsAt, isRight]
}

/** Checks that all of these are refusals that say just why. */
function checkRefusals(t: Test, refused: readonly Answer[], cap: number): void {
  const different = new Set(refused.map((answer) => JSON.stringify(refusalOf(answer))))
  t.same(
    [...different].map((text) => JSON.parse(text)),
    [expectedRefusal(cap)]
  )
}

for (const stream of [false, true]) {
  t.test(
    `${stream ? 'streams' : 'requests'} whose bounds are ten times the budget, at once: the cap is filled and kept`,
    async (t) => {
      const { records, urls } = fleet
      const body = question('quick', stream)
      const bound = boundNanos(body)
      // Not a multiple of the bound: the last to be admitted is granted a shorter answer.
      const fitting = clients / 10
      const cap = Math.floor((fitting - 0.5) * bound)
      const account = await records.addAccount({ ownCapNanos: cap })
      const key = await records.addKey(account)

      let refused = 0
      gate.close()
      const asking = Array.from({ length: clients }, async (_, client) => {
        const answer = await ask(urls[client % gateways]!, key.secret, body)
        if (answer.status !== 200) refused++
        return answer
      })
      const peak = await untilCharges(records.link, account, ({ holds }) => holds.length + refused === clients)
      t.equal(peak.settled, 0, 'nobody had an answer yet')
      t.ok(
        peak.reserved <= cap && peak.reserved > cap - bound,
        `${peak.reserved} reserved of ${cap}, one request is ${bound}`
      )
      t.equal(
        peak.holds.reduce((sum, { nanos }) => sum + nanos, 0),
        peak.reserved
      )

      gate.open()
      const answers = await Promise.all(asking)
      const served = answers.filter(({ status }) => status === 200)
      t.equal(served.length, peak.holds.length)
      checkRefusals(
        t,
        answers.filter(({ status }) => status !== 200),
        cap
      )
      const after = await untilCharges(records.link, account, hasNoHolds)
      const produced = producedNanos(fleet.models.requests(), prices)
      t.ok(produced <= cap, `${produced} produced`)
      t.match(after, { settled: produced, reserved: 0 })
      t.match(sumUsage(after), { requests: served.length, costNanos: produced, estimatedRequests: 0 })
    }
  )

  t.test(`clients that ask again spend the budget to within one ${stream ? 'stream' : 'request'}`, async (t) => {
    const { records, urls } = fleet
    const body = question('quick', stream)
    const bound = boundNanos(body)
    const cap = 40 * bound
    const account = await records.addAccount({ ownCapNanos: cap })
    const key = await records.addKey(account)
    const refused: Answer[] = []
    await Promise.all(
      Array.from({ length: 40 }, async (_, client) => {
        for (let request = 0; ; request++) {
          const answer = await ask(urls[(client + request) % gateways]!, key.secret, body)
          if (answer.status === 200) continue
          refused.push(answer)
          // Nothing can come back any more.
          if (nanosOf(answer.error!.reserved_usd) === 0) return
        }
      })
    )
    checkRefusals(t, refused, cap)
    const after = await untilCharges(records.link, account, hasNoHolds)
    t.equal(after.settled, producedNanos(fleet.models.requests(), prices))
    t.ok(after.settled <= cap && after.settled > cap - bound, `${after.settled} of ${cap}, one request is ${bound}`)
  })
}

t.test(
  'clients that hang up and a gateway that is killed: the cap is kept, and only what it held is charged unseen',
  async (t) => {
    const { records, urls, models: server } = fleet
    const bound = boundNanos(question('paced-0', true))
    const cap = 60 * bound
    const account = await records.addAccount({ ownCapNanos: cap })
    const key = await records.addKey(account)
    const victim = gateways - 1
    let hungUp = 0
    const firstHungUp = Promise.withResolvers<void>()

    async function runClient(at: number): Promise<void> {
      for (let request = 0; request < 4; request++) {
        const response = await send(urls[at]!, key.secret, question(`paced-${at}`, true))
        if (response.status === 200 && at !== victim && Math.random() < 0.5) {
          await hangUpAfter(response, Math.ceil(Math.random() * 100))
          hungUp++
          firstHungUp.resolve()
        } else await response.text()
      }
    }
    const startClients = (at: number, count: number) => Array.from({ length: count }, () => runClient(at))

    const ofVictim = Promise.allSettled(startClients(victim, 20))
    await untilCharges(records.link, account, ({ holds }) => holds.length >= 10)
    const ofOthers = Promise.all([0, 1, 2].flatMap((at) => startClients(at, 35)))
    await firstHungUp.promise
    await fleet.gateways[victim]!.kill('SIGKILL')
    await Promise.all([ofVictim, ofOthers])

    const left = await untilCharges(records.link, account, ({ holds }) =>
      holds.every(({ model }) => model === `paced-${victim}`)
    )
    t.ok(left.holds.length > 0, `${left.holds.length} holds are left by the killed gateway`)
    t.ok(hungUp > 5, `${hungUp} streams were left`)
    t.ok(left.settled + left.reserved <= cap)
    t.equal(
      left.holds.reduce((sum, { nanos }) => sum + nanos, 0),
      left.reserved
    )

    await passDeadlines(records.link.client, account)
    await ask(urls[0]!, key.secret, question('quick', false))
    const after = await untilCharges(records.link, account, hasNoHolds)
    const calls = server.requests().filter(hasWorked)
    const produced = producedNanos(calls, prices)
    t.ok(produced <= cap, `${produced} produced`)
    t.ok(after.settled <= cap, `${after.settled} charged`)
    t.equal(after.reserved, 0)

    const lost = new Set(left.holds.map(({ id }) => id))
    const isLost = ({ requestId }: { requestId: string | null }) => lost.has(requestId ?? '')
    const seen = calls.filter((call) => !isLost(call))
    t.ok(
      after.settled - left.reserved >= producedNanos(seen, prices),
      'all else is charged at least as it was produced'
    )
    t.match(
      sumUsage(after, `paced-${victim}`),
      { estimatedRequests: lost.size, estimatedNanos: left.reserved },
      'what the killed gateway held is charged in full, and marked as estimated'
    )
  }
)
