import { unanswered } from '../traffic/sent.ts'
import type { Measured, Outcomes } from './measurement.ts'

/** What a fault is allowed to do to the promises. */
export type Allowed = {
  /**
   * Redis loses what it had acknowledged. What was spent in its last two seconds may be missing. If it kept the hold of a request and
   * lost the settlement, the hold is charged at its deadline, as an estimate.
   */
  redisForgets?: boolean
  /** Redis' clock leaps forward by an hour: it may forget that a dead key was revoked, and answer that it is not valid. */
  tombstonesExpire?: boolean
  /** Gateways die: what they were doing is charged as it was reserved, perhaps before it was sent. */
  gatewaysDie?: boolean
  /** Upstream connections break: of what was produced then, only what arrived is charged, and requests may fail. */
  upstreamBreaks?: boolean
  /** Clients hang up: what was produced for them may be estimated, from above. */
  clientsLeave?: boolean
  /** No request with the SDK's default retries may fail. */
  bridged?: boolean
  /** What clients without retries may be told; nothing unless given. */
  refusals?: readonly string[]
  /** In how many months it happens, one unless given: a cap may be spent in each. */
  months?: number
  /** How long a revoked key may be accepted; the promised time unless given. */
  revokedMs?: number
  /** How long healing may take when the fault is over; the promised time unless given. */
  healMs?: number
}

const promisedRevocationMs = 5000
const promisedHealMs = 5000
/** Traffic, network and model server are in this process: if it stood still for longer, what took how long says nothing. */
const mostStalledMs = 500

/** Whether the machine was so busy that times, and requests that failed for want of time, are not those of the system. */
export const isDisturbed = ({ stalledMs }: Measured): boolean => stalledMs > mostStalledMs

/** @returns a line for each promise that was broken; of those about time, none if the machine was too busy for them */
export function judge(measured: Measured, allowed: Allowed): string[] {
  const broken: string[] = [...measured.findings.broken]
  const insist = (holds: boolean, line: string) => {
    if (!holds) broken.push(line)
  }
  const { revocations, caps, produced, charged, falseRefusals, lost, raw, sdk, healedMs } = measured
  const { count, answered, longestAcceptedMs } = revocations
  insist(
    longestAcceptedMs <= (allowed.revokedMs ?? promisedRevocationMs),
    `a revoked key was accepted for ${longestAcceptedMs} ms`
  )
  insist(answered === count, `${count - answered} of ${count} revocations were never answered with ok`)

  for (const { capNanos, producedNanos, chargedNanos, unknownNanos } of caps) {
    const most = capNanos * (allowed.months ?? 1) + (allowed.redisForgets === true ? unknownNanos : 0)
    insist(producedNanos <= most, `${producedNanos} nanodollars were served under a cap of ${most}`)
    insist(chargedNanos <= most, `${chargedNanos} nanodollars were charged under a cap of ${most}`)
  }

  const missing = produced.nanos - charged.nanos
  const mayMiss = allowed.redisForgets === true ? measured.uncopiedNanos : 0
  if (allowed.upstreamBreaks !== true)
    insist(missing <= mayMiss, `${missing} nanodollars were served and not charged (${mayMiss} may be)`)
  const excess = charged.nanos - charged.estimatedNanos - produced.finishedNanos
  insist(excess <= 0, `${excess} nanodollars were charged and not served`)
  if (allowed.gatewaysDie !== true) {
    const neverSent = charged.requests - produced.requests
    insist(neverSent <= 0, `${neverSent} requests were charged and never sent`)
    if (allowed.upstreamBreaks !== true && allowed.clientsLeave !== true && allowed.redisForgets !== true) {
      insist(charged.estimatedRequests === 0, `${charged.estimatedRequests} requests were estimated`)
    }
  }

  const silent = (raw.get(unanswered) ?? 0) + (sdk.get(unanswered) ?? 0)
  insist(silent === 0, `${silent} requests were not answered in a minute`)
  insist(falseRefusals.size === 0, `refused without reason: ${describe(falseRefusals)}`)
  insist(
    lost.length === 0,
    `lost: ${lost.slice(0, 5).join('; ')}${lost.length > 5 ? `, and ${lost.length - 5} more` : ''}`
  )
  if (isDisturbed(measured)) return broken

  const unexpected = failuresOf(raw).filter(([outcome]) => allowed.refusals?.includes(outcome) !== true)
  insist(unexpected.length === 0, `unexpected answers: ${describe(new Map(unexpected))}`)
  if (allowed.bridged === true) {
    insist(failuresOf(sdk).length === 0, `clients that try again were told: ${describe(new Map(failuresOf(sdk)))}`)
  }
  const healMs = allowed.healMs ?? promisedHealMs
  insist(healedMs <= healMs, `it took ${Math.round(healedMs)} ms to heal`)
  return broken
}

export const failuresOf = (outcomes: Outcomes): Array<[string, number]> =>
  [...outcomes].filter(([outcome]) => outcome !== '200')

/** Such as `3 × 503 state_unavailable`. */
export const describe = (outcomes: Outcomes): string =>
  [...outcomes].map(([outcome, count]) => `${count} × ${outcome}`).join(', ')
