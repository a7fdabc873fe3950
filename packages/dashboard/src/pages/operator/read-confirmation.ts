import type { Reading } from '../../forms/form.tsx'
import { onlyProblems, textOf } from '../../forms/read-fields.ts'

/** Why an operator acts, and their password for acts that ask for it. */
export interface Confirmation {
  readonly reason: string
  readonly password: string
}

/** Adds the reason and the password of a form to the values of the act. */
export function readConfirmation<Values>(
  data: FormData,
  needsPassword: boolean,
  act: Reading<Values>
): Reading<readonly [Values, Confirmation]> {
  const reason = textOf(data, 'reason').trim()
  const password = textOf(data, 'current_password')
  const problems = {
    ...(act.ok ? {} : act.problems),
    ...onlyProblems({
      reason: reason === '' ? 'Enter a reason.' : null,
      current_password: needsPassword && password === '' ? 'Enter your password.' : null
    })
  }
  if (!act.ok || Object.keys(problems).length > 0) return { ok: false, problems }
  return { ok: true, values: [act.values, { reason, password }] }
}
