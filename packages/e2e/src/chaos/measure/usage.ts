import type { RecordedRequest } from '@tollgate/sandbox/models/request-recorder.ts'
import type { Sql } from 'postgres'
import { costOf, hasWorked } from '../../metering/produced.ts'
import { prices } from '../system/catalog.ts'

/** What the model server has produced. Amounts are nanodollars. */
export type Produced = {
  /** Calls that it worked on, whether or not they came to their end. */
  requests: number
  nanos: number
  /** Of those that came to their end. */
  finishedNanos: number
}

/** What the ledger says was used. */
export type Charged = {
  /** Without those that failed. */
  requests: number
  failed: number
  nanos: number
  estimatedRequests: number
  /** Part of `nanos`. */
  estimatedNanos: number
}

export function producedIn(witnessed: readonly RecordedRequest[]): Produced {
  const worked = witnessed.filter(hasWorked)
  const sum = (requests: readonly RecordedRequest[]) =>
    requests.reduce((nanos, request) => nanos + costOf(request, prices), 0)
  return {
    requests: worked.length,
    nanos: sum(worked),
    finishedNanos: sum(worked.filter(({ finishedAtMs }) => finishedAtMs !== null))
  }
}

/** The model of ours that a request was made for. */
export const modelOf = ({ model }: RecordedRequest): string => model?.split('+')[0] ?? ''

type Row = Record<'requests' | 'failed' | 'nanos' | 'estimatedRequests' | 'estimatedNanos', string>

/** @param account all of them, unless one is named */
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

/** What came to the ledger between two looks at it. */
export function chargedSince(before: Charged, after: Charged): Charged {
  return {
    requests: after.requests - before.requests,
    failed: after.failed - before.failed,
    nanos: after.nanos - before.nanos,
    estimatedRequests: after.estimatedRequests - before.estimatedRequests,
    estimatedNanos: after.estimatedNanos - before.estimatedNanos
  }
}
