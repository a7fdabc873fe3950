import { type ErrorCode, errorTable } from '@tollgate/contracts/errors/table.ts'

/** Statuses of upstream refusals. Their codes come from the upstream. */
const refusalStatuses = new Set([400, 404, 413, 422])

/** @throws Error unless a failure has the error shape, and its status and code match the table */
export function checkFailure(status: number, text: string): void {
  const { error } = JSON.parse(text) as { error: Record<'message' | 'type' | 'code', unknown> }
  for (const member of ['message', 'type', 'code'] as const) {
    if (typeof error[member] !== 'string') throw new Error(`${member} is not text: ${text}`)
  }
  const row = Object.hasOwn(errorTable, String(error.code)) ? errorTable[error.code as ErrorCode] : undefined
  if (row?.[0] !== status && !refusalStatuses.has(status)) throw new Error(`${status} with ${text}`)
}
