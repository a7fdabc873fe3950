import { describe, failuresOf, isDisturbed } from './measure/broken-promises.ts'
import type { Measured, Outcomes } from './measure/measured.ts'
import type { Counted } from './measure/messages.ts'

const usd = (nanos: number): string => (nanos / 1e9).toFixed(6)
const seconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`
/** How many of the expected ones came, and how many came again. */
const came = ({ expected, missing, repeated }: Counted): string =>
  `${expected - missing}/${expected}${repeated === 0 ? '' : ` +${repeated}`}`
const total = (outcomes: Outcomes): number => [...outcomes.values()].reduce((sum, count) => sum + count, 0)

/** Describes the measurement of one fault, one line per promise. */
export function describeMeasured(measured: Measured): string[] {
  const { revocations, caps, produced, charged, falseRefusals, lost, raw, sdk, recoveredMs, brokenMs, findings } =
    measured
  const { receipts, messages, uncopied } = measured
  const { count, missing, extra, differing, repeated, unlogged, dropped } = receipts
  const failures = (outcomes: Outcomes) => {
    const failed = new Map(failuresOf(outcomes))
    return `${total(failed)} of ${total(outcomes)}${failed.size === 0 ? '' : ` (${describe(failed)})`}`
  }
  const difference = charged.nanos - produced.nanos
  const estimated = charged.estimatedRequests === 0 ? '' : `, ${charged.estimatedRequests} estimated`
  const shares = caps.map(
    ({ capNanos, producedNanos, chargedNanos }) =>
      `${((Math.max(producedNanos, chargedNanos) / capNanos) * 100).toFixed(1)} %`
  )
  return [
    `revoked key accepted after ok    ${seconds(revocations.maxAcceptedMs)} (${revocations.answered} of ${revocations.count} revocations answered)`,
    `share of caps spent              ${shares.join(', ')}`,
    `ledger − model server            ${difference === 0 ? 'USD 0' : `USD ${usd(difference)}`} of ${usd(produced.nanos)}${estimated}`,
    `charged, but never sent          ${Math.max(0, charged.requests - produced.requests)}`,
    `receipts                         ${count}: ${missing} missing, ${extra} without a charge, ${differing} accounts differ, ${repeated} twice, ${dropped} dropped`,
    `answered requests without one    ${unlogged}`,
    ...(uncopied === null
      ? []
      : [
          `copies behind at the loss        usage ${seconds(uncopied.usage.behindMs)} (${uncopied.usage.requests} requests), receipts ${seconds(uncopied.receipts.behindMs)} (${uncopied.receipts.requests} requests)`
        ]),
    `notices, mails                   ${came(messages.notices)}, ${came(messages.mails)}`,
    `webhooks                         ${came(messages.webhooks)}, ${messages.refusedWebhooks} refused, ${messages.wrongWebhooks} wrong`,
    `false 401, 402, 429              ${falseRefusals.size === 0 ? '0' : describe(falseRefusals)}`,
    `keys and accounts lost           ${lost.length}`,
    `requests failed                  ${failures(raw)}`,
    `… with the SDK's retries         ${failures(sdk)}`,
    `fault lasted, recovery took      ${seconds(brokenMs)}, ${seconds(recoveredMs)}`,
    ...findings.seen,
    ...(isDisturbed(measured) ? [`DISTURBED: this process stalled for ${seconds(measured.stalledMs)}`] : [])
  ]
}

const head = [
  'fault',
  'revoked key valid',
  'of caps',
  'charged − served',
  'never sent',
  'receipts',
  'notices',
  'mails',
  'webhooks',
  'false 4xx',
  'lost',
  'failed, raw',
  'failed, SDK',
  'broken',
  'recovered'
]

/** Formats a table of all faults and promises. */
export function tableOf(all: readonly Measured[]): string[] {
  const rows = all.map((measured) => {
    const { caps, produced, charged, receipts, messages, raw, sdk } = measured
    const share = Math.max(
      ...caps.map(({ capNanos, producedNanos, chargedNanos }) => Math.max(producedNanos, chargedNanos) / capNanos)
    )
    const failed = (outcomes: Outcomes) => `${total(new Map(failuresOf(outcomes)))}/${total(outcomes)}`
    return [
      measured.fault,
      seconds(measured.revocations.maxAcceptedMs),
      `${(share * 100).toFixed(0)} %`,
      usd(charged.nanos - produced.nanos),
      String(Math.max(0, charged.requests - produced.requests)),
      `${receipts.count} −${receipts.missing} +${receipts.extra}`,
      came(messages.notices),
      came(messages.mails),
      came(messages.webhooks),
      String(total(measured.falseRefusals)),
      String(measured.lost.length),
      failed(raw),
      failed(sdk),
      seconds(measured.brokenMs),
      `${seconds(measured.recoveredMs)}${isDisturbed(measured) ? ' ?' : ''}`
    ]
  })
  const widths = head.map((cell, column) => Math.max(cell.length, ...rows.map((row) => row[column]!.length)))
  const line = (cells: readonly string[]) =>
    cells
      .map((cell, column) => (column === 0 ? cell.padEnd(widths[column]!) : cell.padStart(widths[column]!)))
      .join('  ')
  return [line(head), widths.map((width) => '─'.repeat(width)).join('──'), ...rows.map(line)]
}
