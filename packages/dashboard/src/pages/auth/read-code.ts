import { toRecoveryCode } from '@tollgate/contracts/http/recovery-code.ts'
import { textOf } from '../../forms/read-fields.ts'

/** The typed code without spaces and dashes, because apps show codes in groups; a recovery code as it was shown. */
export function codeOf(data: FormData): string {
  const code = textOf(data, 'code').replaceAll(/[\s\p{Pd}]/gu, '')
  return toRecoveryCode(code) ?? code
}

export function problemOfCode(code: string): string | null {
  if (/^[0-9]{6}$/.test(code) || toRecoveryCode(code) !== null) return null
  return /[a-z]/i.test(code)
    ? 'Enter the whole recovery code: four groups of four characters.'
    : 'Enter the 6 digits that your app shows.'
}
