import { setTimeout as delay } from 'node:timers/promises'
import { accountShard } from '@tollgate/state/keyspace/names.ts'
import { reap } from '@tollgate/state/settlement/reap.ts'
import { passDeadlines } from '@tollgate/state/testing/account-state.ts'
import { type Answer, ask, hangUpAt, send } from '../../metering/ask.ts'
import type { Fault } from '../fault.ts'
import { chargedIn, producedIn } from '../measure/produced-and-charged.ts'
import { receiptBytes, untilCopied } from '../measure/until-settled.ts'
import { modelOf } from '../system/catalog.ts'
import type { ChaosSystem } from '../system/chaos-system.ts'
import { seedAccounts, untilProjected } from '../system/seed.ts'
import { questionTo, spokenApis } from '../traffic/send-steadily.ts'
import { networkConditions } from './redis.ts'

const streams = 9
const maxTokens = 150

/** Maximum reservation of a stream: one token per byte of the prompt, and the maximum output. */
const maxNanosEach = (200 + maxTokens) * 1000

const projectedTimeoutMs = 60_000

/** Ends after a second, so the gateway dies before. */
const question = { model: 'ordinary', maxTokens, text: 'Say 120 words.', stream: true }

const capNanos = 10_000_000

/** Longer than a repeat waits for a silent gateway. */
const cutMs = 20_000

const keptTimeoutMs = 10_000

/** Ends after a second, so Redis is cut off before. */
const cutQuestion = { model: 'ordinary', maxTokens: 150, text: 'Say 120 words.', stream: true }

/**
 * A gateway loses Redis while it runs streams with an `Idempotency-Key`. No repeat runs, and later ones get their
 * answers.
 */
export const cutRepeats: Fault = {
  name: 'redis-cut-repeats',
  summary: `a gateway cannot reach Redis for ${cutMs / 1000} s, during which its ${streams} streams with an Idempotency-Key end`,
  conditions: networkConditions,
  allowed: { refusals: ['503 state_unavailable'] },
  async inject(system, _loseData, { seen, broken }) {
    const { sql, link, gateways, models } = system
    const [first, second] = gateways as [(typeof gateways)[number], (typeof gateways)[number]]
    const [account] = await seedAccounts(sql, { count: 1, keysEach: 1, ownCapNanos: capNanos })
    await untilProjected(sql, link, projectedTimeoutMs)
    const { secret } = account!.keys[0]!
    const requests = Array.from({ length: streams }, (_, number) => {
      const api = spokenApis[number % spokenApis.length]!
      return { body: questionTo(api, cutQuestion), options: { api, idempotencyKey: `cut-${number}` } }
    })
    const askAll = () => Promise.all(requests.map(({ body, options }) => ask(second.url, secret, body, options)))
    const begun = await Promise.all(requests.map(({ body, options }) => send(first.url, secret, body, options)))
    first.redis.cut()
    const texts = await Promise.all(begun.map((response) => response.text()))
    const waited = await askAll()
    await delay(cutMs)
    const later = await askAll()
    first.redis.restore()
    const isAnswered = (answers: readonly Answer[]) => answers.filter(({ text }, n) => text === texts[n]).length
    let replayed = 0
    for (const until = Date.now() + keptTimeoutMs; replayed < streams && Date.now() < until; await delay(500))
      replayed = isAnswered(await askAll())
    await untilCopied(system, account!.id)

    const refused = [waited, later].map(
      (answers) => answers.filter(({ error }) => error?.code === 'idempotency_answer_lost').length
    )
    const produced = producedIn(models.requests().filter((request) => modelOf(request) === cutQuestion.model))
    const charged = await chargedIn(sql, account!.id)
    seen.push(
      `streams without Redis at the end ${streams}, refused repeats ${refused.join(' and ')}, replays ${replayed}`
    )
    seen.push(`${' '.repeat(32)} produced ${produced.nanos}, charged ${charged.nanos} nanodollars`)
    for (const count of refused)
      if (count < streams) broken.push(`${streams - count} repeats of ${streams} were not refused`)
    if (replayed < streams)
      broken.push(`${streams - replayed} later repeats of ${streams} did not get the first answer`)
    if (produced.requests !== streams) broken.push(`${produced.requests} calls for ${streams} repeated streams`)
    if (charged.requests + charged.failed !== streams)
      broken.push(`${charged.requests + charged.failed} charges for ${streams} calls`)
    if (charged.nanos !== produced.nanos)
      broken.push(`${charged.nanos} nanodollars were charged, but ${produced.nanos} produced`)
  }
}

/**
 * The gateway of streams with an `Idempotency-Key` dies. Another gateway, where their clients wait with repeats,
 * refuses these.
 */
export const killedRepeats: Fault = {
  name: 'gateway-kill-repeats',
  summary: `a gateway is killed (SIGKILL) while it runs ${streams} streams with an Idempotency-Key, and repeats wait at another`,
  conditions: { variables: { IDEMPOTENCY_MEMORY_MB: '256' } },
  allowed: { gatewaysDie: true, refusals: ['broken', '503 state_unavailable'] },
  async inject(system, _loseData, { seen, broken }) {
    const { sql, link, gateways, models } = system
    const [first, second] = gateways as [(typeof gateways)[number], (typeof gateways)[number]]
    const [account] = await seedAccounts(sql, { count: 1, keysEach: 1, ownCapNanos: 10 * streams * maxNanosEach })
    await untilProjected(sql, link, projectedTimeoutMs)
    const { secret } = account!.keys[0]!
    const requests = Array.from({ length: streams }, (_, number) => {
      const api = spokenApis[number % spokenApis.length]!
      return { body: questionTo(api, question), options: { api, idempotencyKey: `killed-${number}` } }
    })
    const begun = await Promise.all(requests.map(({ body, options }) => send(first.url, secret, body, options)))
    const repeats = Promise.all(requests.map(({ body, options }) => ask(second.url, secret, body, options)))
    await first.part.kill('SIGKILL')
    await Promise.all(begun.map((response) => hangUpAt(response, /$^/).catch(() => null)))
    const answers = await repeats
    await first.part.start()
    const again = await Promise.all(requests.map(({ body, options }) => ask(first.url, secret, body, options)))
    await endHolds(system, account!.id)
    await untilCopied(system, account!.id)

    const refused = countLost(answers)
    const later = countLost(again)
    const produced = producedIn(models.requests().filter((request) => modelOf(request) === question.model))
    const charged = await chargedIn(sql, account!.id)
    seen.push(`streams of the killed gateway    ${streams}, refused repeats ${refused}, later ${later}`)
    seen.push(`${' '.repeat(32)} produced ${produced.nanos}, charged ${charged.nanos} nanodollars`)
    if (refused < streams) broken.push(`${streams - refused} repeats of ${streams} were not refused`)
    if (later < streams) broken.push(`${streams - later} later repeats of ${streams} were not refused`)
    if (produced.requests !== streams) broken.push(`${produced.requests} calls for ${streams} repeated streams`)
    if (charged.requests + charged.failed !== streams)
      broken.push(`${charged.requests + charged.failed} charges for ${streams} calls`)
    if (charged.nanos < produced.nanos || charged.nanos > streams * maxNanosEach)
      broken.push(`${charged.nanos} nanodollars were charged for the streams of the killed gateway`)
  }
}

const countLost = (answers: readonly Answer[]): number =>
  answers.filter(({ error }) => error?.code === 'idempotency_answer_lost').length

/** Ends the holds of the killed gateway, as after their deadlines. */
async function endHolds({ link }: ChaosSystem, account: string): Promise<void> {
  await passDeadlines(link.nodeOf(accountShard(account)).client, account)
  await reap(link, account, 1000, 60_000, receiptBytes)
}
