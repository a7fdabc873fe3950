import { type ErrorCode, errorTable } from '@tollgate/contracts/errors/table.ts'

/** Codes that name what an upstream said of a request come from the upstream. */
const statusesOfRefusals = new Set([400, 404, 413, 422])

/** @throws Error unless a failed answer is in the one error shape, and agrees with the table */
export function checkFailure(status: number, text: string): void {
  const { error } = JSON.parse(text) as { error: Record<'message' | 'type' | 'code', unknown> }
  for (const member of ['message', 'type', 'code'] as const) {
    if (typeof error[member] !== 'string') throw new Error(`${member} is not text: ${text}`)
  }
  const row = Object.hasOwn(errorTable, String(error.code)) ? errorTable[error.code as ErrorCode] : undefined
  if (row?.[0] !== status && !statusesOfRefusals.has(status)) throw new Error(`${status} with ${text}`)
}
