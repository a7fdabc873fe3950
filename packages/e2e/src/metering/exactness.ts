import { zeroCounts } from '@tollgate/contracts/usage/usage-counters.ts'
import type { RecordedRequest } from '@tollgate/sandbox/models/request-recorder.ts'
import { planOf } from './catalog.ts'
import { type Charges, hasNoHolds, untilCharges } from './charges.ts'
import { type Fleet, startFleet } from './fleet.ts'
import { faultOf } from './judge-charge.ts'
import { meteredModels } from './kinds/models.ts'
import { seededRandom } from './seeded-random.ts'
import { type Sent, senderOf, sendKinds } from './send-kinds.ts'

/** The gateway's limit for requests that never end. All other requests are much shorter. */
const maxRequestMs = 20000

export interface Exactness {
  /** `<kind>: <ending>` → number of requests. */
  endings: Map<string, number>
  /** One line per wrong charge. */
  faults: string[]
}

/**
 * Sends requests of all kinds to gateway processes, each with its own key. Compares the charges with the model server's
 * bill. With reported usage, the charge must be exact, in each kind of tokens and in money. Without it, the charge must be between
 * the produced and the reserved amount. It must be zero if the model did no work.
 */
export async function runExactness(requests: number, seed: number, gateways: number): Promise<Exactness> {
  const fleet = await startFleet({
    gateways,
    catalog: { models: meteredModels, plans: { free: planOf(meteredModels) } },
    env: { GATEWAY_LONGEST_REQUEST_MS: String(maxRequestMs), IDEMPOTENCY_MEMORY_MB: '256' }
  })
  try {
    return await compare(fleet, await sendKinds(fleet, requests, seededRandom(seed)))
  } finally {
    await fleet.stop()
  }
}

async function compare(fleet: Fleet, sent: readonly Sent[]): Promise<Exactness> {
  const { records, models } = fleet
  const charges = new Map<string, Charges>()
  for (const account of new Set(sent.map((one) => one.account))) {
    charges.set(account, await untilCharges(records.link, account, hasNoHolds))
  }
  const calls = Map.groupBy(models.requests(), ({ id }) => senderOf(models.body(id)))
  const bodyOf = (call: RecordedRequest) => models.body(call.id)!.toString()
  const faults: string[] = []
  const endings = new Map<string, number>()
  for (const one of sent) {
    const ofKind = `${one.kind.name}: ${one.ending}`
    endings.set(ofKind, (endings.get(ofKind) ?? 0) + 1)
    const { byKey, usage } = charges.get(one.account)!
    const row = usage.get(`${one.key}|${one.model}`)
    const charged = row ?? zeroCounts
    const of = calls.get(one.key) ?? []
    const isSame = (byKey.get(one.key) ?? 0) === charged.costNanos
    const fault = isSame ? faultOf(one, row, of, bodyOf) : 'spend and usage differ'
    if (fault !== null) {
      const bills = of.map(billed).join(' ')
      faults.push(`${ofKind}: ${fault}; charged ${JSON.stringify(nonZero(charged))}, calls ${bills}`)
    }
  }
  for (const { settled, reserved, byKey } of charges.values()) {
    const sum = [...byKey.values()].reduce((all, nanos) => all + nanos, 0)
    if (settled !== sum || reserved !== 0)
      faults.push(`an account has settled ${settled} and reserved ${reserved}, its keys settled ${sum}`)
  }
  const above = await countAboveBound(fleet)
  const explained = sent.filter(({ kind }) => kind.costsMore).length
  if (above > explained) faults.push(`${above} requests cost more than their hold, ${explained} of them may`)
  return { endings, faults }
}

/** Counts the requests that cost more than was reserved for them. */
async function countAboveBound({ adminUrls }: Fleet): Promise<number> {
  let sum = 0
  for (const url of adminUrls) {
    const text = await (await fetch(`${url}/metrics`)).text()
    for (const [, value] of text.matchAll(/^tollgate_usage_above_bound_total(?:\{.*\})? (\d+)$/gm)) sum += Number(value)
  }
  return sum
}

function billed({ status, abortedAtMs, startedAtMs, finishedAtMs, sequence, ...rest }: RecordedRequest): string {
  const { id, requestId, method, headers, bytesWritten, chunksWritten, ...bill } = rest
  return JSON.stringify({ status, aborted: abortedAtMs !== null, ...nonZero(bill) })
}

const nonZero = (counts: object) => Object.fromEntries(Object.entries(counts).filter(([, value]) => value !== 0))
