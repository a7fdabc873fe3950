import type { RecordedRequest } from '@tollgate/sandbox/models/request-recorder.ts'
import type { Sql } from 'postgres'
import { costOf, hasWorked } from '../../metering/charges.ts'
import { prices } from '../system/catalog.ts'

/** The work of the model server. Amounts are nanodollars. */
export interface Produced {
  /** The number of calls that it worked on, finished or not. */
  requests: number
  nanos: number
  /** Cost of the finished calls. */
  finishedNanos: number
}

/** The charges in the ledger. */
export interface Charged {
  /** Without failed requests. */
  requests: number
  failed: number
  nanos: number
  estimatedRequests: number
  /** Part of `nanos`. */
  estimatedNanos: number
}

export function producedIn(recorded: readonly RecordedRequest[]): Produced {
  const worked = recorded.filter(hasWorked)
  const sum = (requests: readonly RecordedRequest[]) =>
    requests.reduce((nanos, request) => nanos + costOf(request, prices), 0)
  return {
    requests: worked.length,
    nanos: sum(worked),
    finishedNanos: sum(worked.filter(({ finishedAtMs }) => finishedAtMs !== null))
  }
}

type Row = Record<'requests' | 'failed' | 'nanos' | 'estimatedRequests' | 'estimatedNanos', string>

/** Sums the ledger. @param account null for all accounts */
export async function chargedIn(sql: Sql, account: string | null = null): Promise<Charged> {
  const [row] = await sql<[Row]>`
    select coalesce(sum(requests - errors), 0)::text as requests, coalesce(sum(errors), 0)::text as failed,
      coalesce(sum(cost_nanos), 0)::text as nanos, coalesce(sum(estimated_requests), 0)::text as "estimatedRequests",
      coalesce(sum(estimated_nanos), 0)::text as "estimatedNanos"
    from ledger where ${account}::uuid is null or account_id = ${account}`
  return {
    requests: Number(row.requests),
    failed: Number(row.failed),
    nanos: Number(row.nanos),
    estimatedRequests: Number(row.estimatedRequests),
    estimatedNanos: Number(row.estimatedNanos)
  }
}

/** The charges between two readings. */
export function chargedSince(before: Charged, after: Charged): Charged {
  return {
    requests: after.requests - before.requests,
    failed: after.failed - before.failed,
    nanos: after.nanos - before.nanos,
    estimatedRequests: after.estimatedRequests - before.estimatedRequests,
    estimatedNanos: after.estimatedNanos - before.estimatedNanos
  }
}
