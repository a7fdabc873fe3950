import { randomBytes, type ScryptOptions, scrypt, timingSafeEqual } from 'node:crypto'
import type { WeakPasswordReasons } from '@supabase/supabase-js'
import { validationFailed, WeakPasswordError } from './errors.ts'
import type { WeakPassword } from './wire.ts'

const maxPasswordBytes = 72
const maxEmailBytes = 255
const label = '[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?'
const emailPattern = new RegExp(`^[a-zA-Z0-9.!#$%&'*+/=?^_\`{|}~-]+@${label}(?:\\.${label})*$`)

/** scrypt's N. Most tests set a lower one, since hashing would take most of their time. */
export const defaultPasswordCost = 16_384

const [blockSize, parallelization] = [8, 1]
const keyLength = 32

/** Hashes a password with scrypt and a random salt. The result names its parameters. */
export async function hashPassword(password: string, cost: number): Promise<string> {
  const salt = randomBytes(16)
  const key = await derive(password, salt, { N: cost, r: blockSize, p: parallelization })
  return format(cost, salt.toString('base64url'), key.toString('base64url'))
}

/** Whether the password matches `hash`. For null it does the same work and returns false. */
export async function isPasswordOf(password: string, hash: string | null, cost: number): Promise<boolean> {
  // So an unknown address takes as long as a wrong password.
  const [, N, r, p, salt = '', expected = ''] = (hash ?? format(cost, 'A'.repeat(22), 'A'.repeat(43))).split('$')
  const key = await derive(password, Buffer.from(salt, 'base64url'), { N: Number(N), r: Number(r), p: Number(p) })
  return timingSafeEqual(key, Buffer.from(expected, 'base64url')) && hash !== null
}

function format(cost: number, salt: string, key: string): string {
  return ['scrypt', cost, blockSize, parallelization, salt, key].join('$')
}

function derive(password: string, salt: Buffer, options: ScryptOptions): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    scrypt(password, salt, keyLength, options, (error, key) => (error === null ? resolve(key) : reject(error)))
  })
}

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
