import type {
  AdminLedger,
  AdminReceiptsResponse,
  LedgerDifference,
  ReceiptDifference,
  ReceiptDifferenceReason
} from '@tollgate/contracts/http/admin/ledger.ts'
import { table } from '../commands/create-command.ts'
import type { ComparedUsage, Deviation } from './provider-usage.ts'

/** All accounts' comparison of Redis and the ledger. */
export interface ComparedLedger extends Pick<AdminLedger, 'month' | 'is_compared' | 'accounts' | 'differences'> {
  /** False if there are more differences than were read. */
  readonly is_complete: boolean
}

/** The result of `ledger verify`, for people. */
export function describeVerification(
  compared: ComparedLedger,
  receipts: ComparedReceipts,
  provider: readonly ComparedUsage[],
  tolerance: number
): string {
  return [
    describeRedis(compared),
    describeReceipts(receipts),
    ...(provider.length === 0 ? [] : [describeProvider(provider, tolerance)])
  ].join('\n\n')
}

function describeRedis({ month, is_compared, accounts, differences, is_complete }: ComparedLedger): string {
  if (!is_compared) return `Redis has no counters of ${month}. Only this month can be compared.`
  if (differences.length === 0) return `Redis and the ledger agree about ${month}, for all ${accounts} accounts.`
  const reasons = new Map(differences.map(({ reason, explanation }) => [reason, explanation]))
  return [
    `Redis and the ledger differ about ${month} for ${differences.length} of ${accounts} accounts:`,
    table(
      [
        ['ACCOUNT', 'ADDRESS', 'REDIS', 'LEDGER', 'ADJUSTED', 'DIFFERENCE', 'REASON', 'NORMAL'],
        ...differences.map(row)
      ],
      ''
    ),
    ...(is_complete ? [] : ['There are more. Begin with these.']),
    ...[...reasons].map(([reason, explanation]) => `${reason}: ${explanation}`)
  ].join('\n')
}

const row = (one: LedgerDifference) => [
  one.account_id,
  one.email,
  one.counted_usd,
  one.ledger_usd,
  one.adjustments_usd,
  one.difference_usd,
  one.reason,
  one.is_normal ? 'yes' : 'NO'
]

function describeProvider(compared: readonly ComparedUsage[], tolerance: number): string {
  const findings = compared.filter(({ isWithinTolerance }) => !isWithinTolerance).length
  const result = findings === 0 ? 'All are within' : `${findings} of ${compared.length} are outside of`
  return [
    `The ledger and the providers, by day and model. ${result} ${tolerance} per cent.`,
    table(
      [
        ['DAY', 'MODEL', 'REQUESTS', 'INPUT', 'OUTPUT', 'COST', 'WITHIN'],
        ...compared.map((one) => [
          one.day,
          one.model,
          describe(one.requests),
          describe(one.inputTokens),
          describe(one.outputTokens),
          one.costUsd === null ? null : describe(one.costUsd),
          one.isWithinTolerance ? 'yes' : 'NO'
        ])
      ],
      ''
    )
  ].join('\n')
}

/** Such as `1200 (+12, +1.0%)`. */
function describe({ ledger, difference, percent }: Deviation): string {
  if (difference === 0) return amount(ledger)
  const sign = difference > 0 ? '+' : ''
  const part = percent === null ? 'provider has none' : `${sign}${percent.toFixed(1)}%`
  return `${amount(ledger)} (${sign}${amount(difference)}, ${part})`
}

/** At most six decimals: costs are sums of small fractions. */
const amount = (number: number): string => String(Math.round(number * 1e6) / 1e6)

/** All hours' comparison of receipts and the ledger. */
export type ComparedReceipts = AdminReceiptsResponse['receipts']

/** Adds a later part of the comparison. */
export const addReceipts = (earlier: ComparedReceipts, later: ComparedReceipts): ComparedReceipts => ({
  ...later,
  from: earlier.from,
  requests: earlier.requests + later.requests,
  ledger_usd: addUsd(earlier.ledger_usd, later.ledger_usd),
  receipts_usd: addUsd(earlier.receipts_usd, later.receipts_usd),
  late_rows: earlier.late_rows + later.late_rows,
  folded_days: earlier.folded_days + later.folded_days,
  differing: earlier.differing + later.differing,
  differences: [...earlier.differences, ...later.differences],
  // Months of several parts overlap. The first part begins in the first month.
  adjustments_usd:
    later.from.slice(0, 7) === earlier.from.slice(0, 7)
      ? later.adjustments_usd
      : addUsd(earlier.adjustments_usd, later.adjustments_usd)
})

/**
 * Whether every difference has an explanation: usage that is being copied, or receipts that Redis dropped or control
 * could not store. Those are counted, so no more requests may be without a receipt.
 */
export function isExplained({ differences, dropped, skipped }: ComparedReceipts): boolean {
  const missing = differences.filter(({ reason }) => reason === 'receipts_missing')
  const requests = missing.reduce((sum, one) => sum + one.ledger_requests - one.receipt_requests, 0)
  const isCounted =
    missing.every((one) => one.ledger_requests > one.receipt_requests) && requests <= (dropped ?? 0) + skipped
  return isCounted && differences.every(({ reason }) => reason !== 'receipts_more')
}

const explanations: Readonly<Record<ReceiptDifferenceReason, string>> = {
  not_copied_yet:
    'Usage or receipts of this hour are being copied. This is normal. If it stays, look for "not copied" in the log of control.',
  receipts_missing:
    'Requests without a receipt. Redis dropped receipts, a gateway ran with REQUEST_LOG=off, or PostgreSQL was restored. The charges are right: the ledger has them.',
  receipts_more:
    'Receipts of requests that the ledger does not have. Usage was lost on its way to the ledger. Compare with the provider: tollgate ledger verify --provider FILE'
}

/** The comparison, for people. */
export function describeReceipts(compared: ComparedReceipts): string {
  const { started_at, from, to, requests, ledger_usd, receipts_usd, differences, differing } = compared
  if (started_at === null) return 'The request log is empty, so receipts are not compared.'
  const range = `from ${from} to ${to}`
  const head =
    differences.length === 0
      ? `Receipts and the ledger agree ${range}: ${requests} requests, $${ledger_usd}.`
      : `Receipts and the ledger differ ${range}: $${receipts_usd} in receipts, $${ledger_usd} in the ledger, ${requests} requests.`
  const reasons = [...new Set(differences.map(({ reason }) => reason))]
  return [
    head,
    ...notesOf(compared),
    ...(differences.length === 0
      ? []
      : [
          table(
            [
              ['ACCOUNT', 'FROM', 'TO', 'REQUESTS', 'RECEIPTS', 'LEDGER', 'IN RECEIPTS', 'REASON'],
              ...differences.map(receiptRow)
            ],
            ''
          ),
          ...(differing > differences.length ? ['There are more. Begin with these.'] : []),
          ...reasons.map((reason) => `${reason}: ${explanations[reason]}`),
          ...(isExplained(compared) ? ['The counts of dropped and skipped receipts explain all missing ones.'] : [])
        ])
  ].join('\n')
}

function notesOf({ dropped, skipped, late_rows, folded_days, adjustments_usd }: ComparedReceipts): string[] {
  const notes: ReadonlyArray<readonly [isShown: boolean, note: string]> = [
    [dropped === null, 'Redis is unavailable: it is not known how many receipts it dropped.'],
    [(dropped ?? 0) > 0, `Redis dropped ${dropped} receipts before control copied them.`],
    [skipped > 0, `Control skipped ${skipped} receipts that it could not store.`],
    [late_rows > 0, `${late_rows} rows of the ledger were counted late. They belong to the hour of the admission.`],
    [folded_days > 0, `${folded_days} days are folded in the ledger. They were compared as a whole.`],
    [adjustments_usd !== '0.00', `Adjustments of $${adjustments_usd} are no requests, so they have no receipts.`]
  ]
  return notes.flatMap(([isShown, note]) => (isShown ? [note] : []))
}

const receiptRow = (one: ReceiptDifference) => [
  one.account_id,
  one.from,
  one.to,
  String(one.ledger_requests),
  String(one.receipt_requests),
  one.ledger_usd,
  one.receipts_usd,
  one.reason
]

/** Adds exact dollars. */
function addUsd(one: string, other: string): string {
  const nanos = nanosOf(one) + nanosOf(other)
  const [sign, size] = nanos < 0n ? ['-', -nanos] : ['', nanos]
  const decimals = (size % 1_000_000_000n).toString().padStart(9, '0')
  return `${sign}${size / 1_000_000_000n}.${decimals.slice(0, 2)}${decimals.slice(2).replace(/0+$/, '')}`
}

function nanosOf(usd: string): bigint {
  const [whole, decimals] = usd.replace('-', '').split('.') as [string, string]
  const size = BigInt(whole) * 1_000_000_000n + BigInt(decimals.padEnd(9, '0'))
  return usd.startsWith('-') ? -size : size
}
