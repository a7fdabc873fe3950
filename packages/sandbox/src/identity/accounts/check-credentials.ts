import type { WeakPasswordReasons } from '@supabase/supabase-js'
import { validationFailed, WeakPasswordError } from '../errors.ts'
import type { WeakPassword } from '../wire.ts'

const maxPasswordBytes = 72
const maxEmailBytes = 255
const label = '[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?'
const emailPattern = new RegExp(`^[a-zA-Z0-9.!#$%&'*+/=?^_\`{|}~-]+@${label}(?:\\.${label})*$`)

/**
 * Checks the syntax of an e-mail address as GoTrue does: with the pattern of HTML's e-mail field.
 *
 * @returns the address in lowercase
 * @throws GoTrueError 400 `validation_failed`
 */
export function checkEmail(email: string): string {
  if (email === '') throw validationFailed('An email address is required')
  if (Buffer.byteLength(email) > maxEmailBytes) throw validationFailed('An email address is too long')
  if (!emailPattern.test(email)) throw validationFailed('Unable to validate email address: invalid format')
  return email.toLowerCase()
}

/** @throws GoTrueError 400 `validation_failed` for more than 72 bytes */
export function checkPasswordLength(password: string): void {
  if (Buffer.byteLength(password) > maxPasswordBytes) {
    throw validationFailed(`Password cannot be longer than ${maxPasswordBytes} characters`)
  }
}

/** @throws GoTrueError 400 `validation_failed` for more than 72 bytes; 422 `weak_password` */
export function checkNewPassword(password: string, minLength: number): void {
  checkPasswordLength(password)
  const weakness = findWeakness(password, minLength)
  if (weakness !== null) throw new WeakPasswordError(weakness)
}

/** Explains why a password is weak; null if it is strong enough. The length counts UTF-8 bytes, as in Go. */
export function findWeakness(password: string, minLength: number): WeakPassword | null {
  if (Buffer.byteLength(password) >= minLength) return null
  const reasons: WeakPasswordReasons[] = ['length']
  return { message: `Password should be at least ${minLength} characters.`, reasons }
}
