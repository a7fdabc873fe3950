import { type SQL, sql } from 'drizzle-orm'
import { type Orm, queryRows } from '../database/connect.ts'
import { requests } from '../database/schema/requests.ts'
import { ledger } from '../database/schema/usage.ts'

/** Differences of one part that are read. */
const maxDifferences = 100

/**
 * What the ledger or the receipts have of an account in a part of time. Costs in nanodollars, tokens of prompts and
 * outputs.
 */
interface Sums {
  readonly requests: number
  readonly nanos: bigint
  readonly tokens: number
}

/** An account whose receipts differ from the ledger. */
export interface DifferingAccount {
  readonly account: string
  readonly ledger: Sums
  readonly receipts: Sums
}

/** The comparison of all accounts in a part of time. */
export interface ComparedPart {
  readonly requests: number
  readonly ledgerNanos: bigint
  readonly receiptNanos: bigint
  readonly lateRows: number
  /** How many accounts differ. */
  readonly differing: number
  /** Those with the largest differences of cost first. */
  readonly differences: DifferingAccount[]
}

interface Row {
  requests: number
  ledger_nanos: string
  receipt_nanos: string
  late: number
  differing: number
  differences: string
}

type DifferenceRow = Readonly<Record<'account' | 'lr' | 'ln' | 'lt' | 'rr' | 'rn' | 'rt', string>>

/**
 * Compares the receipts of admitted requests with the ledger, for each account. A request counts for the hour of its
 * admission in both.
 *
 * @param from whole hours, ms since the epoch; `to` is exclusive. Folded hours only as whole days
 * @param accounts only these
 */
export async function comparePart(
  orm: Orm,
  from: number,
  to: number,
  accounts: readonly string[] | null = null
): Promise<ComparedPart> {
  const [row] = await queryRows<Row>(orm, comparison(from, to, accounts))
  const { requests, ledger_nanos, receipt_nanos, late, differing, differences } = row!
  return {
    requests,
    ledgerNanos: BigInt(ledger_nanos),
    receiptNanos: BigInt(receipt_nanos),
    lateRows: late,
    differing,
    differences: (JSON.parse(differences) as DifferenceRow[]).map(({ account, lr, ln, lt, rr, rn, rt }) => ({
      account,
      ledger: { requests: Number(lr), nanos: BigInt(ln), tokens: Number(lt) },
      receipts: { requests: Number(rr), nanos: BigInt(rn), tokens: Number(rt) }
    }))
  }
}

/** Refused and cancelled requests were not charged, and the ledger does not count them. */
const charged = sql`${requests.rank} in (1, 2)`

function comparison(from: number, to: number, accounts: readonly string[] | null): SQL {
  const [first, end] = [from, to].map((ms) => sql`${new Date(ms).toISOString()}::timestamptz`)
  const only = (column: SQL) =>
    accounts === null ? sql`` : sql`and ${column} = any(${`{${accounts.join()}}`}::uuid[])`
  return sql`
    with counted as (
      select ${ledger.accountId} as account, sum(${ledger.requests}) as lr, sum(${ledger.costNanos}) as ln,
        sum(${ledger.promptTokens} + ${ledger.completionTokens}) as lt, count(*) filter (where ${ledger.run} like '%~%') as late
      from ${ledger} where ${ledger.hour} >= ${first} and ${ledger.hour} < ${end} ${only(sql`${ledger.accountId}`)}
      group by 1
    ), logged as (
      select ${requests.accountId} as account, count(*) as rr, sum(${requests.costNanos}) as rn,
        sum(${requests.promptTokens}::bigint + ${requests.completionTokens}) as rt
      from ${requests} where ${requests.at} >= ${first} and ${requests.at} < ${end} and ${charged} ${only(sql`${requests.accountId}`)}
      group by 1
    ), joined as materialized (
      select account, coalesce(late, 0) as late, coalesce(lr, 0) as lr, coalesce(ln, 0) as ln, coalesce(lt, 0) as lt,
        coalesce(rr, 0) as rr, coalesce(rn, 0) as rn, coalesce(rt, 0) as rt
      from counted full join logged using (account)
    ), differing as materialized (select * from joined where (lr, ln, lt) <> (rr, rn, rt))
    select coalesce(sum(lr), 0)::float8 as requests, coalesce(sum(ln), 0)::text as ledger_nanos, coalesce(sum(rn), 0)::text as receipt_nanos,
      coalesce(sum(late), 0)::float8 as late, (select count(*) from differing)::int as differing,
      (
        select coalesce(json_agg(row_to_json(shown)), '[]')::text
        from (
          select account::text, lr::text, ln::text, lt::text, rr::text, rn::text, rt::text from differing
          order by abs(ln - rn) desc, account limit ${maxDifferences}
        ) as shown
      ) as differences
    from joined`
}

/** Whether two readings of an account are equal, so that nothing was copied meanwhile. */
export const isUnchanged = (one: DifferingAccount, other: DifferingAccount): boolean =>
  areEqual(one.ledger, other.ledger) && areEqual(one.receipts, other.receipts)

const areEqual = (one: Sums, other: Sums): boolean =>
  one.requests === other.requests && one.nanos === other.nanos && one.tokens === other.tokens
