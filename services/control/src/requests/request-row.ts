import { hash } from 'node:crypto'
import type { RefusedAmounts } from '@tollgate/contracts/errors/refused-amounts.ts'
import type { FailedAttempt } from '@tollgate/contracts/http/requests.ts'
import { isRare, meters, usageCounters } from '@tollgate/contracts/meters/meters.ts'
import { type Receipt, receiptKinds } from '@tollgate/contracts/requests/receipt.ts'
import { getTableColumns } from 'drizzle-orm'
import { requests } from '../database/schema/requests.ts'

const maxInteger = 2 ** 31 - 1
/** Names of models that clients invent may be long. */
const maxText = 300
const idForm = /^req_([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/
const uuidForm = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** @returns the id of a request as the log stores it; null if no request has this id */
export const storedId = (id: string): string | null => idForm.exec(id)?.[1] ?? null

/** The id of a request as the client got it. */
export const requestId = (stored: string): string => `req_${stored}`

/** A row of the log, by the names of its columns. `at` is in milliseconds since the epoch. */
export type RequestRow = Readonly<
  Record<string, string | number | boolean | null | readonly FailedAttempt[] | RefusedAmounts>
> & {
  readonly id: string
  readonly at: number
  readonly rank: number
}

/** Makes a row of a receipt. @returns null if the receipt has a value that no request can have */
export function toRow(receipt: Receipt): RequestRow | null {
  const id = storedId(receipt.id)
  const at = Math.floor(receipt.at * 1000)
  if (id === null || !uuidForm.test(receipt.account) || !Number.isSafeInteger(at)) return null
  const integers = {
    held_tokens: receipt.heldTokens,
    granted_tokens: receipt.grantedTokens,
    first_byte_ms: receipt.firstByteMs,
    duration_ms: receipt.durationMs,
    count: receipt.count,
    attempts: receipt.attempts,
    status: receipt.status,
    ...countsOf(receipt)
  }
  if (!Object.values(integers).every((value) => value === null || isCount(value, maxInteger))) return null
  if (!isCount(receipt.attempts, 1000) || !isCount(receipt.status ?? 0, 999) || receipt.count < 1) return null
  const failed = receipt.failedAttempts.map(storableAttempt)
  const ofFailed = failed.flatMap(({ status, started_ms, duration_ms }) => [status ?? 0, started_ms, duration_ms])
  if (failed.length > receipt.attempts || !ofFailed.every((value) => isCount(value, maxInteger))) return null
  const nanos = { cost_nanos: receipt.costNanos, held_nanos: receipt.heldNanos }
  if (!Object.values(nanos).every((value) => isCount(value, Number.MAX_SAFE_INTEGER))) return null
  const margin = receipt.rare?.marginNanos ?? null
  if (margin !== null && !Number.isSafeInteger(margin)) return null
  return {
    id,
    at,
    account_id: receipt.account,
    rank: receiptKinds.indexOf(receipt.kind),
    ...integers,
    ...nanos,
    margin_nanos: margin,
    rates_id: receipt.rates === null ? null : ratesId(receipt.rates),
    is_stream: receipt.isStream,
    is_estimated: receipt.isEstimated,
    client_gone: receipt.clientGone,
    key_id: storable(receipt.key),
    endpoint: storable(receipt.endpoint),
    model: storable(receipt.model),
    asked_model: storable(receipt.askedModel),
    answered_model: storable(receipt.answeredModel),
    upstream: storable(receipt.upstream),
    code: storable(receipt.code),
    tier: storable(receipt.tier),
    address: storable(receipt.address),
    failed_attempts: failed.length === 0 ? null : failed,
    refused: receipt.refused
  }
}

/** Every column with its type in PostgreSQL, for a record of JSON. */
export const rowColumns: ReadonlyArray<readonly [name: string, type: string]> = Object.values(
  getTableColumns(requests)
).map((column) => [column.name, column.name === 'at' ? 'bigint' : column.getSQLType()])

/** The first 63 bits of the SHA-256 of a text of rates, as a decimal number. */
export const ratesId = (rates: string): string =>
  (BigInt(`0x${hash('sha256', rates, 'hex').slice(0, 16)}`) >> 1n).toString()

/** Rare counters that are 0 are null, which takes no space. */
const countsOf = (receipt: Receipt): Record<string, number | null> =>
  Object.fromEntries(
    meters.map((meter) => [usageCounters[meter], isRare(meter) ? (receipt.rare?.[meter] ?? null) : receipt[meter]])
  )

const isCount = (value: number, max: number): boolean => Number.isInteger(value) && value >= 0 && value <= max

function storableAttempt(failed: Receipt['failedAttempts'][number]): FailedAttempt {
  return { ...toFailedAttempt(failed), upstream: storable(failed.upstream), code: storable(failed.code) }
}

/** PostgreSQL stores no NUL, and UTF-8 has no lone surrogates. */
function storable<Value extends string | null>(text: Value): Value {
  if (text === null) return text
  return text.slice(0, maxText).toWellFormed().replaceAll('\0', '\ufffd') as Value
}

/** A failed call of a receipt as the API, the log and the export show it. */
export const toFailedAttempt = (failed: Receipt['failedAttempts'][number]): FailedAttempt => ({
  upstream: failed.upstream,
  code: failed.code,
  status: failed.status,
  started_ms: failed.startedMs,
  duration_ms: failed.durationMs
})
