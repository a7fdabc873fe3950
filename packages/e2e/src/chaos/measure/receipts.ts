import { droppedReceipts } from '@tollgate/state/receipts/receipts.ts'
import type { Sql } from 'postgres'
import type { ChaosSystem } from '../system/chaos-system.ts'
import type { Sent } from '../traffic/send-steadily.ts'

/** How the request log differs from the ledger, and from what clients got. */
export interface ReceiptsMeasured {
  /** Charged requests with a receipt, settled or reaped. */
  count: number
  /** Charged requests without a receipt. */
  missing: number
  /** Receipts without a charge in the ledger. */
  extra: number
  /** Accounts whose receipts have another cost than the ledger, although the numbers are equal. */
  differing: number
  /** Requests with more than one receipt. */
  repeated: number
  /** Requests with a whole answer, and without a receipt. */
  unlogged: number
  /** How many Redis dropped and counted. */
  dropped: number
}

/** Requests and their cost in the ledger, minus those in the request log. */
interface Difference {
  requests: number
  nanos: number
}

/** A reading of the ledger and of the request log. */
export interface LogReading {
  count: number
  dropped: number
  /** By account, if there is any. */
  differences: Map<string, Difference>
}

/** Refused and cancelled requests are not charged. */
const charged = [1, 2]

export async function readLog({ sql, link }: ChaosSystem): Promise<LogReading> {
  const [row] = await sql<[{ count: string }]>`
    select count(*)::text as count from requests where rank = any(${charged})`
  const rows = await sql<Array<{ account: string; requests: string; nanos: string }>>`
    with counted as (
      select account_id as account, sum(requests) as requests, sum(cost_nanos) as nanos from ledger group by 1
    ), logged as (
      select account_id as account, count(*) as requests, sum(cost_nanos) as nanos
      from requests where rank = any(${charged}) group by 1
    ), compared as (
      select account::text, coalesce(counted.requests, 0) - coalesce(logged.requests, 0) as requests,
        coalesce(counted.nanos, 0) - coalesce(logged.nanos, 0) as nanos
      from counted full join logged using (account)
    )
    select account, requests::text, nanos::text from compared where requests <> 0 or nanos <> 0`
  const differences = new Map(
    rows.map(({ account, requests, nanos }) => [account, { requests: Number(requests), nanos: Number(nanos) }])
  )
  return { count: Number(row.count), dropped: await droppedReceipts(link), differences }
}

/** Compares the request log with the ledger since a reading. @param sent requests of clients since then */
export async function measureReceipts(
  system: ChaosSystem,
  before: LogReading,
  sent: readonly Sent[]
): Promise<ReceiptsMeasured> {
  const { sql } = system
  const after = await readLog(system)
  const ids = sent.flatMap(({ id, outcome }) => (outcome === '200' && id !== null ? [id.replace(/^req_/, '')] : []))
  const sums = { missing: 0, extra: 0, differing: 0 }
  for (const account of new Set([...before.differences.keys(), ...after.differences.keys()])) {
    const [earlier, later] = [before, after].map(({ differences }) => differences.get(account))
    const requests = (later?.requests ?? 0) - (earlier?.requests ?? 0)
    const nanos = (later?.nanos ?? 0) - (earlier?.nanos ?? 0)
    if (requests > 0) sums.missing += requests
    else if (requests < 0) sums.extra -= requests
    else if (nanos !== 0) sums.differing++
  }
  return {
    count: after.count - before.count,
    ...sums,
    repeated: await countRepeated(sql),
    unlogged: await countUnlogged(sql, ids),
    // Redis counts from 0 when it loses its data.
    dropped: Math.max(0, after.dropped - before.dropped)
  }
}

async function countRepeated(sql: Sql): Promise<number> {
  const [row] = await sql<[{ count: string }]>`
    select count(*)::text as count from (select id from requests group by id having count(*) > 1) as repeated`
  return Number(row.count)
}

async function countUnlogged(sql: Sql, ids: readonly string[]): Promise<number> {
  const [row] = await sql<[{ count: string }]>`
    select count(*)::text as count from unnest(${[...new Set(ids)]}::uuid[]) as answered (id)
    where not exists (select from requests where requests.id = answered.id and rank = any(${charged}))`
  return Number(row.count)
}
