import { unanswered } from '../traffic/send-steadily.ts'
import type { Measured, Outcomes } from './measured.ts'

/** How far a fault may weaken the promises. */
export interface Allowed {
  /**
   * Redis loses acknowledged writes. The spend that control had not copied may be missing. If Redis kept a hold and
   * lost the settlement, the hold is charged at its deadline, as an estimate.
   */
  redisLosesData?: boolean
  /** Redis' clock jumps ahead by an hour. Tombstones may expire, so a revoked key may be refused as invalid. */
  tombstonesExpire?: boolean
  /** Gateways are killed: their open requests are charged at the reserved amount, even if they were never sent. */
  gatewaysDie?: boolean
  /** Upstream connections break: only what arrived is charged, and requests may fail. */
  upstreamBreaks?: boolean
  /** Clients hang up: their usage may be estimated, but never below the produced amount. */
  clientsHangUp?: boolean
  /** Requests with the SDK's default retries must all succeed. */
  retriesSucceed?: boolean
  /** Answers of the mail server are lost: at most so many mails are sent again. */
  mailsRepeated?: number
  /** Failures that clients without retries may see; none by default. */
  refusals?: readonly string[]
  /** How many months the fault touches; 1 by default. A cap may be spent once in each. */
  months?: number
  /** How long a revoked key may be accepted, ms; the promised time by default. */
  revokedMs?: number
  /** How far the copies of usage and receipts may be behind when Redis loses data, ms; the promised time by default. */
  copiedWithinMs?: number
  /** How long recovery may take after the fault, ms; the promised time by default. */
  recoveryMs?: number
}

const promisedRevocationMs = 5000
const promisedRecoveryMs = 5000
const promisedCopyMs = 2000
/** Traffic, proxies and model server run in this process. If it stalls for longer, measured times mean nothing. */
const maxStalledMs = 500

/** Whether the machine was too busy to trust measured times and timeouts. */
export const isDisturbed = ({ stalledMs }: Measured): boolean => stalledMs > maxStalledMs

/** @returns one line per broken promise. Promises about time are skipped if the machine was too busy. */
export function findBrokenPromises(measured: Measured, allowed: Allowed): string[] {
  const broken: string[] = [...measured.findings.broken]
  const check = (holds: boolean, line: string) => {
    if (!holds) broken.push(line)
  }
  const { revocations, caps, produced, charged, falseRefusals, lost, raw, sdk, recoveredMs } = measured
  const { count, answered, maxAcceptedMs } = revocations
  check(
    maxAcceptedMs <= (allowed.revokedMs ?? promisedRevocationMs),
    `a revoked key was accepted for ${maxAcceptedMs} ms`
  )
  check(answered === count, `${count - answered} of ${count} revocations were never confirmed`)

  for (const { capNanos, producedNanos, chargedNanos, unknownNanos } of caps) {
    const maxNanos = capNanos * (allowed.months ?? 1) + (allowed.redisLosesData === true ? unknownNanos : 0)
    check(producedNanos <= maxNanos, `${producedNanos} nanodollars were served under a cap of ${maxNanos}`)
    check(chargedNanos <= maxNanos, `${chargedNanos} nanodollars were charged under a cap of ${maxNanos}`)
  }

  const missing = produced.nanos - charged.nanos
  const maxMissing = allowed.redisLosesData === true ? (measured.uncopied?.usage.nanos ?? 0) : 0
  if (allowed.upstreamBreaks !== true)
    check(missing <= maxMissing, `${missing} nanodollars were served and not charged (allowed: ${maxMissing})`)
  const excess = charged.nanos - charged.estimatedNanos - produced.finishedNanos
  check(excess <= 0, `${excess} nanodollars were charged beyond what was served`)
  if (allowed.gatewaysDie !== true) {
    const neverSent = charged.requests - produced.requests
    check(neverSent <= 0, `${neverSent} requests were charged but never sent`)
    if (allowed.upstreamBreaks !== true && allowed.clientsHangUp !== true && allowed.redisLosesData !== true) {
      check(charged.estimatedRequests === 0, `${charged.estimatedRequests} requests were estimated`)
    }
  }

  broken.push(...findBrokenReceipts(measured, allowed), ...findBrokenMessages(measured, allowed))

  const silent = (raw.get(unanswered) ?? 0) + (sdk.get(unanswered) ?? 0)
  check(silent === 0, `${silent} requests got no answer within a minute`)
  check(falseRefusals.size === 0, `refused without a reason: ${describe(falseRefusals)}`)
  check(
    lost.length === 0,
    `lost: ${lost.slice(0, 5).join('; ')}${lost.length > 5 ? `, and ${lost.length - 5} more` : ''}`
  )
  if (isDisturbed(measured)) return broken

  broken.push(...findLateCopies(measured, allowed))
  const unexpected = failuresOf(raw).filter(([outcome]) => allowed.refusals?.includes(outcome) !== true)
  check(unexpected.length === 0, `unexpected answers: ${describe(new Map(unexpected))}`)
  if (allowed.retriesSucceed === true) {
    check(failuresOf(sdk).length === 0, `clients with retries still failed: ${describe(new Map(failuresOf(sdk)))}`)
  }
  const recoveryMs = allowed.recoveryMs ?? promisedRecoveryMs
  check(recoveredMs <= recoveryMs, `recovery took ${Math.round(recoveredMs)} ms`)
  return broken
}

/**
 * If Redis loses data, the ledger lacks what control had not copied of usage, and the request log what it had not
 * copied of receipts.
 */
function findBrokenReceipts({ receipts, uncopied }: Measured, { redisLosesData }: Allowed): string[] {
  const { missing, extra, differing, repeated, unlogged, dropped } = receipts
  const lost = redisLosesData === true ? uncopied : null
  const [maxUncharged, maxUnlogged] = [lost?.usage.requests ?? 0, (lost?.receipts.requests ?? 0) + dropped]
  const broken: string[] = []
  if (missing > maxUnlogged) broken.push(`${missing} charged requests have no receipt (allowed: ${maxUnlogged})`)
  if (extra > maxUncharged) broken.push(`${extra} receipts have no charge (allowed: ${maxUncharged})`)
  if (differing > Math.max(maxUncharged, maxUnlogged))
    broken.push(`the receipts of ${differing} accounts cost other than the ledger says`)
  if (repeated > 0) broken.push(`${repeated} requests have more than one receipt`)
  if (unlogged > maxUnlogged) broken.push(`${unlogged} answered requests have no receipt (allowed: ${maxUnlogged})`)
  return broken
}

/** A slow copy would let Redis lose more than the promises say. */
function findLateCopies({ uncopied }: Measured, { copiedWithinMs = promisedCopyMs }: Allowed): string[] {
  const broken: string[] = []
  for (const [name, { behindMs }] of Object.entries(uncopied ?? {})) {
    if (behindMs > copiedWithinMs) broken.push(`the copy of ${name} was ${Math.round(behindMs)} ms behind`)
  }
  return broken
}

function findBrokenMessages({ messages }: Measured, { mailsRepeated = 0 }: Allowed): string[] {
  const { notices, mails, webhooks, wrongWebhooks } = messages
  const broken: string[] = []
  if (notices.missing > 0) broken.push(`${notices.missing} of ${notices.expected} notices are missing`)
  if (notices.repeated > 0) broken.push(`${notices.repeated} notices were repeated`)
  if (mails.missing > 0) broken.push(`${mails.missing} of ${mails.expected} mails are missing`)
  if (mails.repeated > mailsRepeated) broken.push(`${mails.repeated} mails were sent again (allowed: ${mailsRepeated})`)
  if (webhooks.missing > 0) broken.push(`${webhooks.missing} of ${webhooks.expected} webhooks never arrived`)
  if (wrongWebhooks > 0) broken.push(`${wrongWebhooks} webhooks had an unknown id, or changed`)
  return broken
}

export const failuresOf = (outcomes: Outcomes): Array<[string, number]> =>
  [...outcomes].filter(([outcome]) => outcome !== '200')

/** Formats outcomes, such as `3 × 503 state_unavailable`. */
export const describe = (outcomes: Outcomes): string =>
  [...outcomes].map(([outcome, count]) => `${count} × ${outcome}`).join(', ')
