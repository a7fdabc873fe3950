import { type ErrorCode, errorTable } from '@tollgate/contracts/errors/table.ts'

/** Statuses of upstream refusals. Their codes come from the upstream. */
const refusalStatuses = new Set([400, 404, 413, 422])

interface FailureBody {
  type?: unknown
  error: Record<'message' | 'type' | 'code', unknown> & { details?: Record<string, unknown> }
}

/** @throws Error unless a failure has the error shape of its API, and its status and code match the table */
export function checkFailure(status: number, text: string): void {
  const { type, error } = JSON.parse(text) as FailureBody
  // Anthropic's API has the code in the details. Its refusals have none.
  const code = error.code ?? error.details?.error_code
  const isRefusal = refusalStatuses.has(status)
  const texts = { message: error.message, type: error.type, ...(!(isRefusal && type === 'error') && { code }) }
  for (const [name, value] of Object.entries(texts)) {
    if (typeof value !== 'string') throw new Error(`${name} is not text: ${text}`)
  }
  const row = Object.hasOwn(errorTable, String(code)) ? errorTable[code as ErrorCode] : undefined
  if (row?.[0] !== status && !isRefusal) throw new Error(`${status} with ${text}`)
}
