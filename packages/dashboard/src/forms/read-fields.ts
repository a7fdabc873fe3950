import { toRecoveryCode } from '@tollgate/contracts/http/recovery-code.ts'
import { signInFacts } from '../page-facts.ts'
import type { Reading } from './form.tsx'

/** Validation of fields that several forms share. */

export const textOf = (data: FormData, name: string): string => {
  const value = data.get(name)
  return typeof value === 'string' ? value : ''
}

/** The same check as the API's. Only a delivered e-mail proves that an address exists. */
const addressForm = /^[^\s@]+@[^\s@]+$/

/** @param whose the pronoun for the message */
export function problemOfAddress(text: string, whose: 'your' | 'their' = 'your'): string | null {
  if (text === '') return `Enter ${whose} e-mail address.`
  return addressForm.test(text) ? null : 'Enter an e-mail address, such as ada@example.com.'
}

const { minPasswordLength: minCharacters } = signInFacts
/** The most that the identity provider can hash. */
const maxBytes = 72

export function problemOfNewPassword(text: string): string | null {
  if (text === '') return 'Choose a password.'
  if ([...text].length < minCharacters) return `Choose a password of at least ${minCharacters} characters.`
  if (new TextEncoder().encode(text).length > maxBytes) return `Choose a password of at most ${maxBytes} bytes.`
  return null
}

/** Keeps only the fields that have a problem. */
export function onlyProblems(problems: Readonly<Record<string, string | null>>): Record<string, string> {
  const entries = Object.entries(problems).filter((pair): pair is [string, string] => pair[1] !== null)
  return Object.fromEntries(entries)
}

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
