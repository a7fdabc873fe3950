import { accountShard } from '@tollgate/state/keyspace/names.ts'
import { reap } from '@tollgate/state/settlement/reap.ts'
import { passDeadlines } from '@tollgate/state/testing/account-state.ts'
import { ask, hangUpAt, send } from '../../metering/ask.ts'
import { clientApis } from '../../metering/client-apis.ts'
import type { Fault } from '../fault.ts'
import { chargedIn, producedIn } from '../measure/produced-and-charged.ts'
import { receiptBytes, untilCopied } from '../measure/until-settled.ts'
import { modelOf } from '../system/catalog.ts'
import type { ChaosSystem } from '../system/chaos-system.ts'
import { seedAccounts, untilProjected } from '../system/seed.ts'
import { questionTo, spokenApis } from '../traffic/questions.ts'

const streams = 9
const maxTokens = 150
/** Maximum reservation of a stream: one token per byte of the prompt, and the maximum output. */
const maxNanosEach = (200 + maxTokens) * 1000
const projectedTimeoutMs = 60_000
/** Ends after a second, so the gateway dies before. Redis has room for all answers of the account. */
const question = { model: 'ordinary', maxTokens, text: 'Say 120 words.', stream: true }

/** The gateway of streams with an `Idempotency-Key` dies. Another gateway, where their clients wait with repeats, runs them again. */
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
    const asked = Array.from({ length: streams }, (_, number) => {
      const api = spokenApis[number % spokenApis.length]!
      return { body: questionTo(api, question), options: { api, idempotencyKey: `killed-${number}` } }
    })
    const begun = await Promise.all(asked.map(({ body, options }) => send(first.url, secret, body, options)))
    const repeats = Promise.all(asked.map(({ body, options }) => ask(second.url, secret, body, options)))
    await first.part.kill('SIGKILL')
    await Promise.all(begun.map((response) => hangUpAt(response, /$^/).catch(() => null)))
    const answers = await repeats
    await first.part.start()
    const again = await Promise.all(asked.map(({ body, options }) => ask(first.url, secret, body, options)))
    await endHolds(system, account!.id)
    await untilCopied(system, account!.id)

    const whole = answers.filter(({ text }, number) => clientApis[asked[number]!.options.api].end.test(text)).length
    const same = again.filter(({ text }, number) => text === answers[number]!.text).length
    const produced = producedIn(models.requests().filter((request) => modelOf(request) === question.model))
    const charged = await chargedIn(sql, account!.id)
    seen.push(`streams of the killed gateway    ${streams}, whole repeats ${whole}, same answers afterwards ${same}`)
    seen.push(`${' '.repeat(32)} produced ${produced.nanos}, charged ${charged.nanos} nanodollars`)
    if (whole < streams) broken.push(`${streams - whole} repeats of ${streams} got no whole answer`)
    if (same < streams) broken.push(`${streams - same} later repeats of ${streams} got another answer`)
    if (produced.requests !== 2 * streams) broken.push(`${produced.requests} calls for ${streams} repeated streams`)
    if (charged.requests + charged.failed !== 2 * streams)
      broken.push(`${charged.requests + charged.failed} charges for ${2 * streams} calls`)
    const exact = charged.nanos - charged.estimatedNanos
    if (exact !== produced.finishedNanos)
      broken.push(`${exact} nanodollars were charged exactly, but ${produced.finishedNanos} billed`)
    if (charged.estimatedNanos < produced.nanos - produced.finishedNanos || charged.nanos > 2 * streams * maxNanosEach)
      broken.push(`${charged.estimatedNanos} nanodollars were charged for the streams of the killed gateway`)
  }
}

/** Ends the holds of the killed gateway, as after their deadlines. */
async function endHolds({ link }: ChaosSystem, account: string): Promise<void> {
  await passDeadlines(link.nodeOf(accountShard(account)).client, account)
  await reap(link, account, 1000, 60_000, receiptBytes)
}
