import { setTimeout as delay } from 'node:timers/promises'
import type { RecordedRequest } from '@tollgate/sandbox/models/request-recorder.ts'
import type { Sql } from 'postgres'
import { costOf } from '../../metering/charges.ts'
import { modelOf, prices } from '../system/catalog.ts'
import type { ChaosSystem } from '../system/chaos-system.ts'
import type { Creations, Revocation } from '../traffic/revocations.ts'
import { rawChat } from '../traffic/send-steadily.ts'
import { type CappedTraffic, maxNanosEach } from '../traffic/steady-traffic.ts'
import type { Allowed } from './broken-promises.ts'
import type { CapMeasured, Measured, Uncopied } from './measured.ts'
import { chargedIn, producedIn } from './produced-and-charged.ts'

const sampleSize = 60
const attempts = 10
const retryMs = 500
const question = { model: 'quick', max_tokens: 1, messages: [{ role: 'user', content: 'Hi' }] }

const lagNames = { usage: 'tollgate_ledger_lag_seconds', receipts: 'tollgate_request_log_lag_seconds' } as const

/** A gateway settles a request in Redis at most this long after the model server has finished it. */
const settledWithinMs = 1000

/** A loss of Redis' data, and how far control had copied it before. Times are ms since the epoch. */
export interface DataLoss {
  atMs: number
  copiedUntil: CopiedUntil
}

/**
 * Measures the spend under each cap.
 *
 * @param loss null if Redis lost no data
 */
export async function measureCaps(
  { accounts }: CappedTraffic,
  recorded: readonly RecordedRequest[],
  sql: Sql,
  loss: DataLoss | null
): Promise<CapMeasured[]> {
  return Promise.all(
    accounts.map(async ({ id, model, capNanos }) => {
      const ofModel = recorded.filter((request) => modelOf(request) === model)
      const unknown = loss === null ? [] : ofModel.filter((request) => wasUncopied(request, loss, 'usage'))
      return {
        capNanos,
        producedNanos: producedIn(ofModel).nanos,
        chargedNanos: (await chargedIn(sql, id)).nanos,
        unknownNanos: unknown.length * maxNanosEach
      }
    })
  )
}

/**
 * Whether Redis lost the request before control had copied it: it was running, or it had ended since the last copy
 * began.
 */
function wasUncopied(
  { startedAtMs, finishedAtMs, abortedAtMs }: RecordedRequest,
  { atMs, copiedUntil }: DataLoss,
  what: keyof CopiedUntil
): boolean {
  const endedAtMs = finishedAtMs ?? abortedAtMs
  return startedAtMs <= atMs && (endedAtMs === null || endedAtMs >= copiedUntil[what] - settledWithinMs)
}

/** Measures what control had not copied when Redis lost its data. @param loss null if it lost none */
export function measureUncopied(recorded: readonly RecordedRequest[], loss: DataLoss | null): Measured['uncopied'] {
  if (loss === null) return null
  const uncopied = (what: keyof CopiedUntil): Uncopied => {
    const requests = recorded.filter((request) => wasUncopied(request, loss, what))
    return {
      behindMs: loss.atMs - loss.copiedUntil[what],
      requests: requests.length,
      nanos: requests
        .filter(({ finishedAtMs }) => finishedAtMs !== null)
        .reduce((sum, request) => sum + costOf(request, prices), 0)
    }
  }
  return { usage: uncopied('usage'), receipts: uncopied('receipts') }
}

/**
 * Counts the 402 answers that the cap does not explain: the budget would suffice even if each other request had cost
 * its maximum.
 */
export function falseBudgetRefusals({ accounts, sent, refusals }: CappedTraffic): number {
  return refusals.filter(({ account, answeredAt, neededNanos }) => {
    const before = sent.filter(
      (one) => one.account === account && one.sentAt < answeredAt && !one.outcome.startsWith('402')
    )
    const { capNanos } = accounts.find(({ id }) => id === account)!
    return before.length * maxNanosEach + neededNanos <= capNanos
  }).length
}

/** Everything that was settled in Redis before this time is in PostgreSQL; ms since the epoch. */
interface CopiedUntil {
  usage: number
  receipts: number
}

/**
 * Asks every replica of control how far it has copied from Redis to PostgreSQL. The furthest one counts.
 *
 * @throws Error if no replica answers
 */
export async function readCopiedUntil({ controls }: Pick<ChaosSystem, 'controls'>): Promise<CopiedUntil> {
  const askedAt = Date.now()
  const answers = await Promise.allSettled(
    controls.map(async ({ adminUrl }) => (await fetch(`${adminUrl}/metrics`)).text())
  )
  const texts = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []))
  const copiedUntil = (name: string): number => {
    const lags = texts.flatMap((text) => new RegExp(`^${name} ([\\d.e+-]+)$`, 'm').exec(text)?.[1] ?? [])
    if (lags.length === 0) throw new Error(`no replica of control has ${name}`)
    return askedAt - Math.min(...lags.map(Number)) * 1000
  }
  return { usage: copiedUntil(lagNames.usage), receipts: copiedUntil(lagNames.receipts) }
}

export async function countAccounts({ sql }: ChaosSystem): Promise<number> {
  const [row] = await sql<[{ count: string }]>`select count(*)::text as count from accounts`
  return Number(row.count)
}

/** Asks every gateway with active and revoked keys. @returns one line per wrong answer, and one for lost accounts */
export async function findLost(
  system: ChaosSystem,
  { created }: Creations,
  revocations: readonly Revocation[],
  accountsBefore: number,
  { tombstonesExpire = false }: Allowed
): Promise<string[]> {
  const refusal = tombstonesExpire ? /^401 (revoked|invalid)_api_key$/ : /^401 revoked_api_key$/
  const { accounts, gateways } = system
  const lost: string[] = []
  const check = async (secret: string, expected: RegExp, what: string) => {
    for (const { url } of gateways) {
      const outcome = await outcomeOf(url, secret)
      if (!expected.test(outcome)) lost.push(`${what}: ${outcome}`)
    }
  }
  const seeded = Array.from(
    { length: sampleSize },
    () => accounts[Math.floor(Math.random() * accounts.length)]!.keys[0]!
  )
  for (const { secret } of seeded) await check(secret, /^200$/, 'a key from before the fault')
  for (const secret of created.slice(-sampleSize)) await check(secret, /^200$/, 'a key created during the fault')
  for (const { secret, okAt } of revocations) {
    if (okAt !== null) await check(secret, refusal, 'a revoked key')
  }
  const missing = accountsBefore - (await countAccounts(system))
  if (missing > 0) lost.push(`${missing} accounts`)
  return lost
}

/** The gateway's first answer other than 503: on a busy machine a late Redis answer can cause a 503 at any time. */
async function outcomeOf(gateway: string, secret: string): Promise<string> {
  for (let attempt = 1; ; attempt++) {
    const { outcome } = await rawChat(gateway, { secret, account: '' }, question)
    if (!outcome.startsWith('503') || attempt === attempts) return outcome
    await delay(retryMs)
  }
}
