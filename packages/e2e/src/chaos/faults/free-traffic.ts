import { setTimeout as delay } from 'node:timers/promises'
import { producedIn } from '../measure/produced-and-charged.ts'
import { modelOf } from '../system/catalog.ts'
import type { ChaosSystem } from '../system/chaos-system.ts'
import { type SeededAccount, seedAccounts, untilProjected } from '../system/seed.ts'
import { questionTo } from '../traffic/questions.ts'
import { rawAsk } from '../traffic/raw-chat.ts'
import type { Sent } from '../traffic/send-steadily.ts'

const accountsCount = 60
const pauseMs = 100
const pollMs = 50
const timeoutMs = 60_000
const projectedTimeoutMs = 60_000
const quick = questionTo('chat', { model: 'watched', stream: false, maxTokens: 40, text: 'Say 40 words.' })
/** Eight seconds. */
const slow = questionTo('chat', { model: 'slow', stream: true, maxTokens: 200, text: 'Say 200 words.' })

/** Many free accounts, which ask every gateway ten times a second. Nobody else uses their models. */
export interface FreeTraffic {
  /** Starts long streams of as many accounts. They end by themselves. */
  startStreams(count: number): { readonly ended: Promise<unknown> }
  /** What the model server has produced for all of them, nanodollars. */
  spentNanos(): number
  /** Resolves when they have spent so much. @throws Error after a minute */
  untilSpent(nanos: number): Promise<void>
  /**
   * Resolves when every gateway has given an answer to a question that was asked since `from`.
   *
   * @returns how long that took, ms
   * @throws Error after a minute
   */
  untilAll(outcome: string, from: number): Promise<number>
  /** How many questions and streams that began since `from` were served. */
  servedSince(from: number): number
  stop(): Promise<void>
}

export async function startFreeTraffic(system: ChaosSystem): Promise<FreeTraffic> {
  const { sql, link, gateways, models } = system
  const accounts = await seedAccounts(sql, { count: accountsCount, keysEach: 1 })
  await untilProjected(sql, link, projectedTimeoutMs)
  const keyOf = (number: number) => (accounts[number % accountsCount] as SeededAccount).keys[0]!
  const sent = gateways.map((): Sent[] => [])
  const streams: Sent[] = []
  const stopping = new AbortController()
  const asking = gateways.map(async ({ url }, gateway) => {
    for (let number = gateway; !stopping.signal.aborted; number += gateways.length) {
      sent[gateway]!.push(await rawAsk(url, keyOf(number), 'chat', quick))
      await delay(pauseMs)
    }
  })
  const isOfFree = (model: string) => model === 'watched' || model === 'slow'
  const spentNanos = () => producedIn(models.requests().filter((request) => isOfFree(modelOf(request)))).nanos

  async function until(what: string, holds: () => boolean): Promise<void> {
    const deadline = performance.now() + timeoutMs
    while (!holds()) {
      if (performance.now() > deadline) throw new Error(`in ${timeoutMs / 1000} s, ${what}`)
      await delay(pollMs)
    }
  }

  return {
    startStreams(count) {
      const all = Array.from({ length: count }, async (_, number) => {
        streams.push(await rawAsk(gateways[number % gateways.length]!.url, keyOf(number), 'chat', slow))
      })
      return { ended: Promise.all(all) }
    },
    spentNanos,
    untilSpent: (nanos) => until(`free accounts did not spend ${nanos} nanodollars`, () => spentNanos() >= nanos),
    async untilAll(outcome, from) {
      const answered = () =>
        sent.map((of) => of.find((one) => one.sentAt >= from && one.outcome === outcome)?.answeredAt)
      await until(`not every gateway answered ${outcome}`, () => answered().every((at) => at !== undefined))
      return Math.round(Math.max(...answered().map((at) => at!)) - from)
    },
    servedSince: (from) =>
      [...sent.flat(), ...streams].filter(({ sentAt, outcome }) => sentAt >= from && outcome === '200').length,
    async stop() {
      stopping.abort()
      await Promise.all(asking)
    }
  }
}
