import type { Reading } from '../../forms/form.tsx'
import { textOf } from '../../forms/read-fields.ts'

/** Why an operator acts. */
export interface Reason {
  readonly reason: string
}

/** Adds the reason of a form to the values of the act. */
export function readReason<Values>(data: FormData, act: Reading<Values>): Reading<readonly [Values, Reason]> {
  const reason = textOf(data, 'reason').trim()
  const problems = { ...(act.ok ? {} : act.problems), ...(reason === '' && { reason: 'Enter a reason.' }) }
  if (!act.ok || reason === '') return { ok: false, problems }
  return { ok: true, values: [act.values, { reason }] }
}
