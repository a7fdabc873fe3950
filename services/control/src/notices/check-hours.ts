import { formatUsd } from '@tollgate/contracts/money/usd.ts'
import { sql } from 'drizzle-orm'
import { type Orm, queryRows } from '../database/connect.ts'
import { ledger } from '../database/schema/usage.ts'
import { recordEvent } from '../events/record-event.ts'

const hourMs = 3_600_000

/**
 * Records `spend.unusual`, for operators, for accounts that spent far more in this hour or the last one than usual:
 * once a day for each account. @throws the error of PostgreSQL
 */
export async function checkHours(orm: Orm, accounts: readonly string[], now: Date): Promise<void> {
  const present = Math.floor(now.getTime() / hourMs)
  const recent = await readHours(orm, accounts, present - 1, present + 1)
  const suspects = [...new Set(recent.filter(({ nanos }) => nanos > minUnusualNanos).map(({ account }) => account))]
  if (suspects.length === 0) return
  const before = await readHours(orm, suspects, present - 1 - usualHours, present + 1)
  for (const { account, hour, nanos } of recent) {
    const others = before.filter((other) => other.account === account && other.hour < hour)
    const unusual = judgeHour(
      nanos,
      others.map((other) => other.nanos)
    )
    if (unusual === null) continue
    const at = new Date(hour * hourMs)
    await orm.transaction((tx) =>
      recordEvent(tx, {
        type: 'spend.unusual',
        accountId: null,
        at: now,
        data: {
          account_id: account,
          hour: at.toISOString(),
          spent_usd: formatUsd(BigInt(unusual.spentNanos)),
          usual_usd: formatUsd(BigInt(unusual.usualNanos))
        },
        once: `spend.unusual:${account}:${at.toISOString().slice(0, 10)}`
      })
    )
  }
}

/** What accounts spent in each hour of a range, without hours of no usage. */
async function readHours(orm: Orm, accounts: readonly string[], from: number, to: number) {
  const hour = (number: number) => sql.param(new Date(number * hourMs), ledger.hour)
  const rows = await queryRows<{ account: string; hour: string; nanos: string }>(
    orm,
    sql`
      select ${ledger.accountId}::text as account, (extract(epoch from ${ledger.hour}) / 3600)::bigint::text as hour,
        sum(${ledger.costNanos})::text as nanos
      from ${ledger}
      where ${ledger.accountId} = any(${`{${accounts.join()}}`}::uuid[])
        and ${ledger.hour} >= ${hour(from)} and ${ledger.hour} < ${hour(to)}
      group by 1, 2`
  )
  return rows.map((row) => ({ account: row.account, hour: Number(row.hour), nanos: Number(row.nanos) }))
}

/** Hours with which an hour is compared: those of two weeks. */
const usualHours = 14 * 24
const factor = 5
/** An account that usually spends less counts as one that spends this much: small accounts vary. */
const minUsualNanos = 2_000_000_000

/** An hour that is far more expensive than the ones before. */
interface UnusualHour {
  readonly spentNanos: number
  /** The most that the account spent in one of the hours before. */
  readonly usualNanos: number
}

/**
 * Judges what an account spent in an hour: it is unusual above five times the most expensive hour of the two weeks
 * before, and above $10. The most expensive hour, because many accounts work only at some hours.
 *
 * @param spentNanos so far, if the hour has not ended
 * @param hourNanos the hours before, in any order. Hours without usage may be left out
 * @returns null if it is not unusual
 */
export function judgeHour(spentNanos: number, hourNanos: readonly number[]): UnusualHour | null {
  const usualNanos = hourNanos.reduce((most, nanos) => Math.max(most, nanos), 0)
  return spentNanos > factor * Math.max(usualNanos, minUsualNanos) ? { spentNanos, usualNanos } : null
}

/** No hour with less is unusual, so nobody need read the hours before. */
const minUnusualNanos = factor * minUsualNanos
