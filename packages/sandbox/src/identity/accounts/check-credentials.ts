import type { WeakPasswordReasons } from '@supabase/supabase-js'
import { validationFailed, WeakPasswordError } from '../errors.ts'
import type { WeakPassword } from '../wire.ts'

const maximumPasswordBytes = 72
const maximumEmailLength = 255
const label = '[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?'
const emailPattern = new RegExp(`^[a-zA-Z0-9.!#$%&'*+/=?^_\`{|}~-]+@${label}(?:\\.${label})*$`)

/**
 * Checks the form of an address as GoTrue does (that of HTML's e-mail field).
 *
 * @returns the address in lower case
 * @throws GoTrueError 400 `validation_failed`
 */
export function checkEmail(email: string): string {
  if (email === '') throw validationFailed('An email address is required')
  if (Buffer.byteLength(email) > maximumEmailLength) throw validationFailed('An email address is too long')
  if (!emailPattern.test(email)) throw validationFailed('Unable to validate email address: invalid format')
  return email.toLowerCase()
}

/** @throws GoTrueError 400 `validation_failed` for more than 72 bytes */
export function checkPasswordLength(password: string): void {
  if (Buffer.byteLength(password) > maximumPasswordBytes) {
    throw validationFailed(`Password cannot be longer than ${maximumPasswordBytes} characters`)
  }
}

/** @throws GoTrueError 400 `validation_failed` for more than 72 bytes; 422 `weak_password` */
export function checkNewPassword(password: string, minimumLength: number): void {
  checkPasswordLength(password)
  const weakness = findWeakness(password, minimumLength)
  if (weakness !== null) throw new WeakPasswordError(weakness)
}

/** What is weak about a password, or null. Its length counts in bytes of UTF-8, as in Go. */
export function findWeakness(password: string, minimumLength: number): WeakPassword | null {
  if (Buffer.byteLength(password) >= minimumLength) return null
  const reasons: WeakPasswordReasons[] = ['length']
  return { message: `Password should be at least ${minimumLength} characters.`, reasons }
}
