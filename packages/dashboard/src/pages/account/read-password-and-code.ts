import type { Reading } from '../../forms/form.tsx'
import { onlyProblems, textOf } from '../../forms/read-fields.ts'
import { codeOf, problemOfCode } from '../auth/read-code.ts'

/** Reads the fields `current_password` and `code`. */
export function readPasswordAndCode(data: FormData): Reading<{ readonly password: string; readonly code: string }> {
  const password = textOf(data, 'current_password')
  const code = codeOf(data)
  const problems = onlyProblems({
    current_password: password === '' ? 'Enter your password.' : null,
    code: problemOfCode(code)
  })
  return Object.keys(problems).length > 0 ? { ok: false, problems } : { ok: true, values: { password, code } }
}
