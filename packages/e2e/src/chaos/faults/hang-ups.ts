import { setTimeout as delay } from 'node:timers/promises'
import { clientApis, send } from '../../metering/ask.ts'
import type { Fault } from '../fault.ts'
import { describe } from '../measure/broken-promises.ts'
import type { Findings } from '../measure/measured.ts'
import { chargedIn, producedIn } from '../measure/produced-and-charged.ts'
import { untilCopied } from '../measure/until-settled.ts'
import { type hangUpModels, modelOf } from '../system/catalog.ts'
import type { ChaosSystem } from '../system/chaos-system.ts'
import { seedAccounts, untilProjected } from '../system/seed.ts'
import { apiOf, countOutcomes, questionTo, requestTimeoutMs, type SpokenApi } from '../traffic/send-steadily.ts'

/** When the client of a stream hangs up. */
const hangUpMoments = ['before the first word', 'at the first word', 'at random', 'before the usage'] as const

/** By then the response headers have arrived, and a reasoning model has sent no text yet. */
const beforeFirstMs = 150

const maxChunks = 12

/** Enough for about a quarter of the streams. */
const capNanos = 6_000_000
const streams = 80
const workers = 8
/** Budget held by other streams may become free. */
const refusedPauseMs = 250
const maxTokens = 400
/** Maximum reservation of a stream: one token per byte of the prompt, and the maximum output. */
const maxNanosEach = (200 + maxTokens) * 1000
const projectedTimeoutMs = 60_000
const question = { maxTokens, text: 'Say 200 words.', stream: true }

/** Clients hang up. Tollgate charges at least what the model server produced for them. */
export const hangUps: Fault = {
  name: 'hang-ups',
  summary: `clients of ${streams} streams hang up ${hangUpMoments.join(', ')}; with an ordinary model and a reasoning model`,
  allowed: { retriesSucceed: true, clientsHangUp: true },
  async inject(system, _loseData, findings) {
    for (const model of ['ordinary', 'reasoning'] as const) await hangUpAll(system, model, findings)
  }
}

async function hangUpAll(system: ChaosSystem, model: (typeof hangUpModels)[number], findings: Findings): Promise<void> {
  const { sql, link, gateways, models } = system
  const [account] = await seedAccounts(sql, { count: 1, keysEach: 1, ownCapNanos: capNanos })
  await untilProjected(sql, link, projectedTimeoutMs)
  const outcomes: Array<{ outcome: string }> = []
  let number = 0
  await Promise.all(
    Array.from({ length: workers }, async () => {
      while (number < streams) {
        const one = number++
        const { url } = gateways[one % gateways.length]!
        const api = apiOf(Math.floor(one / gateways.length / hangUpMoments.length) * 2)
        const moment = hangUpMoments[Math.floor(one / gateways.length) % hangUpMoments.length]!
        const outcome = await askAndHangUp(
          url,
          account!.keys[0]!.secret,
          api,
          questionTo(api, { ...question, model }),
          moment
        )
        outcomes.push({ outcome })
        if (outcome === '402') await delay(refusedPauseMs)
      }
    })
  )
  await untilCopied(system, account!.id)
  const produced = producedIn(models.requests().filter((request) => modelOf(request) === model))
  const charged = await chargedIn(sql, account!.id)
  const { seen, broken } = findings
  seen.push(`hung-up streams, ${model.padEnd(15)} ${describe(countOutcomes(outcomes))}`)
  seen.push(`${' '.repeat(32)} produced ${produced.nanos}, charged ${charged.nanos} of ${capNanos} nanodollars`)
  const what = `streams of ${model} whose clients hung up`
  if (produced.nanos > capNanos)
    broken.push(`${produced.nanos} nanodollars were produced under a cap of ${capNanos}: ${what}`)
  if (charged.nanos < produced.nanos)
    broken.push(`${charged.nanos} nanodollars were charged of ${produced.nanos}: ${what}`)
  const maxNanos = Math.min(capNanos, charged.requests * maxNanosEach)
  if (charged.nanos > maxNanos)
    broken.push(`${charged.nanos} nanodollars were charged, but at most ${maxNanos} reserved: ${what}`)
}

type HangUpMoment = (typeof hangUpMoments)[number]

/**
 * Asks for a stream and hangs up. @param body of a streamed request
 *
 * @returns `hung up`; the status of a refusal; `ended` if the stream ended first
 */
async function askAndHangUp(
  gateway: string,
  secret: string,
  api: SpokenApi,
  body: object,
  moment: HangUpMoment
): Promise<string> {
  const hangUp = new AbortController()
  const signal = AbortSignal.any([hangUp.signal, AbortSignal.timeout(requestTimeoutMs)])
  const response = await send(gateway, secret, body, { api, signal })
  if (response.status !== 200) {
    await response.body?.cancel()
    return String(response.status)
  }
  const timer = moment === 'before the first word' ? setTimeout(() => hangUp.abort(), beforeFirstMs) : undefined
  const chunks = Math.ceil(Math.random() * maxChunks)
  try {
    let text = ''
    for await (const bytes of response.body!) {
      text += Buffer.from(bytes).toString('latin1')
      if (isTimeToHangUp(moment, api, text, chunks)) {
        hangUp.abort()
        return 'hung up'
      }
    }
    return 'ended'
  } catch (error) {
    if (hangUp.signal.aborted) return 'hung up'
    throw error
  } finally {
    clearTimeout(timer)
  }
}

function isTimeToHangUp(moment: HangUpMoment, api: SpokenApi, text: string, chunks: number): boolean {
  switch (moment) {
    case 'before the first word':
      return false
    case 'at the first word':
      return clientApis[api].firstWord.test(text)
    case 'at random':
      return text.split('\n\n').length > chunks
    case 'before the usage':
      return clientApis[api].finish.test(text)
  }
}
