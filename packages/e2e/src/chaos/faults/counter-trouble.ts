import { setTimeout as delay } from 'node:timers/promises'
import type { Fault } from '../fault.ts'
import { describe } from '../measure/broken-promises.ts'
import type { Findings } from '../measure/measured.ts'
import { chargedIn, producedIn } from '../measure/produced-and-charged.ts'
import { untilCopied } from '../measure/until-settled.ts'
import { modelOf } from '../system/catalog.ts'
import type { ChaosSystem } from '../system/chaos-system.ts'
import type { Conditions } from '../system/servers.ts'
import { countOutcomes } from '../traffic/send-steadily.ts'
import {
  type CountedAnswer,
  type CountingAccount,
  type CountingAccounts,
  countingAccounts,
  countsSince,
  type OddCount,
  oddCounts
} from './counted-traffic.ts'

const lastsMs = 10_000
const pauseMs = 700
/** A prompt that does not fit by its bytes is counted for at most two seconds. */
const [countedWithinMs, promisedRefusalMs] = [2000, 5000]
/** How many prompts a gateway has counted at once, and a key of the plan `limited` in a minute. */
const [maxAtOnce, maxPerMinute] = [32, 60]
/** Within the two seconds that each of them lasts. */
const atOnceMs = 1500
const equalPrompts = 6
/** A prompt that was not counted may be counted again after this time. */
const failureKeptMs = 10_000
const manyPrompts = 80
/** null: the counter is right. `one` comes last: a counter that is too low is not asked again for a long time. */
const troubles = [null, ...oddCounts.filter((odd) => odd !== 'one')]
/** Of prompts that each gateway sends one after the other: the first one shows what the count is worth. */
const maxPassedByLie = 1

/** Few keys: the fault has accounts of its own. */
const conditions: Conditions = { keys: 200 }

/**
 * The provider's counter of tokens is slow, wrong or away, while prompts arrive that do not fit a budget by their
 * bytes.
 */
export const counterTrouble: Fault = {
  name: 'counter-trouble',
  summary:
    'the provider’s counter of tokens hangs, drips, breaks off, gives no number or a wrong one, and is away, for prompts that do not fit by bytes',
  conditions,
  allowed: { retriesSucceed: true },
  async inject(system, _loseData, findings) {
    const accounts = await countingAccounts(system, troubles.length + 2)
    await withEachTrouble(system, accounts.able, findings)
    await whileAway(system, accounts.able.at(-1)!, findings)
    await limitsOfCounts(system, accounts, findings)
    await whileTooLow(system, accounts.able.at(-2)!, findings)
  }
}

/** Each kind of trouble has an account. It sends prompts that do not fit by bytes, and others that do. */
async function withEachTrouble(
  system: ChaosSystem,
  accounts: readonly CountingAccount[],
  findings: Findings
): Promise<void> {
  const { seen, broken } = findings
  const from = Date.now()
  const until = performance.now() + lastsMs
  const results = await Promise.all(
    troubles.map(async (odd, index) => {
      const account = accounts[index]!
      const [large, small]: [CountedAnswer[], CountedAnswer[]] = [[], []]
      await Promise.all(
        system.gateways.map(async (gateway) => {
          for (; performance.now() < until; await delay(pauseMs)) {
            large.push(await account.askLarge(gateway, odd))
            small.push(await account.askSmall(gateway))
          }
        })
      )
      await untilCopied(system, account.id)
      return { odd, account, large, small, charged: (await chargedIn(system.sql, account.id)).nanos }
    })
  )
  for (const { odd, account, large, small, charged } of results) {
    seen.push(`counter: ${(odd ?? 'right').padEnd(24)}${describe(countOutcomes(large))}, ${charged} nanodollars`)
    if (odd !== null) checkRefused(odd, large, small, findings)
    // Refusals after a right count name what was counted, unless a busy machine counts too slowly.
    const wasAsked = ({ sentAt, answeredAt }: CountedAnswer) => answeredAt - sentAt < countedWithinMs
    if (odd === null && large.some((answer) => answer.isByBytes && wasAsked(answer)))
      broken.push('a refusal says that bytes were counted, although the provider counted tokens')
    if (odd === null && !large.some(({ outcome }) => outcome === '200'))
      broken.push('no prompt passed with the right count, so this run shows nothing')
    if (charged > account.capNanos)
      broken.push(`${charged} nanodollars were charged under a cap of ${account.capNanos}: ${odd ?? 'right'}`)
  }
  const largePrompts = results.flatMap(({ large }) => large).length
  const counts = countsSince(system, from).length
  seen.push(`prompts above a budget, counted  ${counts} of ${largePrompts}`)
  if (counts > largePrompts)
    broken.push(`${counts} prompts were counted, and only ${largePrompts} did not fit by their bytes`)
  const produced = producedIn(system.models.requests().filter((request) => modelOf(request) === 'counted')).nanos
  const all = results.reduce((sum, one) => sum + one.charged, 0)
  if (produced !== all) broken.push(`the provider billed ${produced} nanodollars, and ${all} were charged`)
}

/** The provider bills more than it counted. So much more is told to the operator, and the bytes decide from then on. */
async function whileTooLow(system: ChaosSystem, account: CountingAccount, { seen, broken }: Findings): Promise<void> {
  const { gateways } = system
  const from = Date.now()
  const beyondBefore = await nanosBeyond(system)
  const answers = await Promise.all(
    gateways.map(async (gateway) => {
      const large: CountedAnswer[] = []
      for (let round = 0; round < 6; round++) large.push(await account.askLarge(gateway, 'one'))
      return large
    })
  )
  await untilCopied(system, account.id)
  const charged = (await chargedIn(system.sql, account.id)).nanos
  const beyond = (await nanosBeyond(system)) - beyondBefore
  const all = answers.flat()
  seen.push(`counter: one                     ${describe(countOutcomes(all))}, ${charged} nanodollars`)
  seen.push(`charged beyond the reservations  ${beyond} nanodollars, cap ${account.capNanos}`)
  if (charged > account.capNanos + beyond)
    broken.push(`a count of one let ${charged} nanodollars pass, and metrics say ${beyond} beyond the reservations`)
  const passed = all.filter(({ outcome }) => outcome === '200').length
  if (passed > maxPassedByLie * gateways.length)
    broken.push(`${passed} prompts passed by a count that the first one showed to be too low`)
  const counts = countsSince(system, from).length
  if (counts > maxPassedByLie * gateways.length) broken.push(`a counter that is too low was asked ${counts} times`)
}

/** Without a number, the bytes decide. */
function checkRefused(
  odd: OddCount,
  large: readonly CountedAnswer[],
  small: readonly CountedAnswer[],
  { broken }: Findings
): void {
  const wrong = large.filter(({ isRefusedByBytes }) => !isRefusedByBytes)
  if (wrong.length > 0)
    broken.push(`counter ${odd}: ${describe(countOutcomes(wrong))}, instead of a refusal that counts bytes`)
  const slowest = Math.max(...large.map(({ sentAt, answeredAt }) => answeredAt - sentAt))
  if (slowest > promisedRefusalMs) broken.push(`counter ${odd}: a refusal took ${Math.round(slowest)} ms`)
  const failed = small.filter(({ outcome }) => outcome !== '200')
  if (failed.length > 0) broken.push(`counter ${odd}: prompts that fit by bytes got ${describe(countOutcomes(failed))}`)
}

async function whileAway(system: ChaosSystem, account: CountingAccount, { seen, broken }: Findings): Promise<void> {
  const from = Date.now()
  system.counted.cut()
  const refused = await Promise.all(system.gateways.map((gateway) => account.askLarge(gateway, null)))
  system.counted.restore()
  const counts = countsSince(system, from).length
  seen.push(`while it is away                 ${describe(countOutcomes(refused))}`)
  if (counts > 0 || refused.some(({ isRefusedByBytes }) => !isRefusedByBytes))
    broken.push(`with the provider away, ${counts} prompts were counted: ${describe(countOutcomes(refused))}`)
  const later = await account.askLarge(system.gateways[0]!, null)
  if (later.outcome !== '200') broken.push(`when the provider was back, a prompt that fits got ${later.outcome}`)
}

/** How often the counter is called. */
async function limitsOfCounts(
  system: ChaosSystem,
  { poor, limited }: CountingAccounts,
  { seen, broken }: Findings
): Promise<void> {
  const { gateways } = system
  const [first] = gateways as [(typeof gateways)[number]]
  const check = (what: string, counts: number, max: number) => {
    seen.push(`${what.padEnd(33)}${counts} of at most ${max}`)
    if (counts > max) broken.push(`${what}: ${counts} calls of the counter, at most ${max} are promised`)
  }
  for (const odd of [null, 'zero'] as const) {
    const from = Date.now()
    const equal = { text: `equal ${odd}` }
    for (let round = 0; round < 2; round++)
      await Promise.all(
        gateways.flatMap((gateway) => Array.from({ length: equalPrompts }, () => poor.askLarge(gateway, odd, equal)))
      )
    const again = odd === null ? 0 : Math.floor((Date.now() - from) / failureKeptMs)
    check(`equal prompts, ${odd ?? 'right'}`, countsSince(system, from).length, gateways.length * (1 + again))
  }
  let from = Date.now()
  const texts = Array.from({ length: manyPrompts }, (_, number) => `of a limited key ${number}`)
  const answers = await Promise.all(
    texts.map((text, number) => limited.askLarge(gateways[number % gateways.length]!, 'zero', { text }))
  )
  const minutes = Math.ceil((Date.now() - from) / 60_000)
  check('prompts of a key in a minute', countsSince(system, from).length, maxPerMinute * minutes)
  if (answers.some(({ isRefusedByBytes }) => !isRefusedByBytes))
    broken.push(`a key that may have no more counted got ${describe(countOutcomes(answers))}`)
  from = Date.now()
  await Promise.all(Array.from({ length: manyPrompts }, () => poor.askLarge(first, 'hang')))
  const begun = countsSince(system, from).map(({ startedAtMs }) => startedAtMs)
  const atOnce = begun.map((at) => begun.filter((other) => other >= at && other < at + atOnceMs).length)
  check('prompts of a gateway at once', Math.max(...atOnce), maxAtOnce)
}

/** What the gateways' metrics say about usage beyond the reservations. */
async function nanosBeyond({ gateways }: ChaosSystem): Promise<number> {
  const dollars = await Promise.all(
    gateways.map(async ({ adminUrl }) => {
      const metrics = await (await fetch(`${adminUrl}/metrics`)).text()
      return Number(/^tollgate_usage_above_bound_dollars_total (\S+)/m.exec(metrics)?.[1] ?? Number.NaN)
    })
  )
  return Math.round(dollars.reduce((sum, one) => sum + one, 0) * 1e9)
}
