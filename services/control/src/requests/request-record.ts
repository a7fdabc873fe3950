import type { RefusedAmounts } from '@tollgate/contracts/errors/refused-amounts.ts'
import type { FailedAttempt } from '@tollgate/contracts/http/requests.ts'
import { type SQL, sql } from 'drizzle-orm'
import { requests } from '../database/schema/requests.ts'

/** A row of the log, as both drivers return it. */
export interface RequestRecord {
  /** Without `req_`. */
  readonly id: string
  /** Milliseconds since the epoch. */
  readonly at: number
  readonly account_id: string
  readonly rank: number
  readonly count: number
  readonly key_id: string
  readonly endpoint: string
  readonly model: string | null
  readonly asked_model: string | null
  readonly answered_model: string | null
  readonly is_stream: boolean
  readonly upstream: string | null
  readonly attempts: number
  readonly status: number | null
  readonly code: string | null
  readonly is_estimated: boolean
  readonly client_gone: boolean
  /** Nanodollars. */
  readonly held_nanos: string
  readonly cost_nanos: string
  readonly held_tokens: number
  readonly granted_tokens: number | null
  readonly prompt_tokens: number
  readonly cached_tokens: number
  readonly completion_tokens: number
  readonly reasoning_tokens: number
  readonly cache_write_tokens: number | null
  readonly long_cache_write_tokens: number | null
  readonly audio_input_tokens: number | null
  readonly image_input_tokens: number | null
  readonly audio_output_tokens: number | null
  readonly image_output_tokens: number | null
  readonly tool_calls: number | null
  readonly tier: string | null
  readonly first_byte_ms: number | null
  readonly duration_ms: number | null
  readonly address: string | null
  readonly failed_attempts: readonly FailedAttempt[] | null
  readonly refused: RefusedAmounts | null
}

const plain = [
  ...['rank', 'count', 'key_id', 'endpoint', 'model', 'answered_model', 'is_stream', 'upstream', 'attempts', 'status'],
  ...['code', 'is_estimated', 'client_gone', 'held_tokens', 'granted_tokens', 'prompt_tokens', 'cached_tokens'],
  ...['completion_tokens', 'reasoning_tokens', 'cache_write_tokens', 'long_cache_write_tokens', 'audio_input_tokens'],
  ...['image_input_tokens', 'audio_output_tokens', 'image_output_tokens', 'tool_calls', 'tier', 'first_byte_ms'],
  ...['duration_ms', 'address', 'failed_attempts', 'asked_model', 'refused']
] as const satisfies ReadonlyArray<keyof RequestRecord>

/** The columns of a {@link RequestRecord}, for a query of `requests`. */
export const recordColumns: SQL = sql`${requests.id}::text as id, ${requests.accountId}::text as account_id,
  (extract(epoch from ${requests.at}) * 1000)::float8 as at, ${requests.costNanos}::text as cost_nanos,
  ${requests.heldNanos}::text as held_nanos, ${sql.raw(plain.map((name) => `requests.${name}`).join(', '))}`
