import type { AdminLedger, LedgerDifference } from '@tollgate/contracts/http/admin/ledger.ts'
import { table } from '../commands/show.ts'
import type { ComparedUsage, Deviation } from './compare-usage.ts'
import { type ComparedReceipts, describeReceipts } from './describe-receipts.ts'

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
