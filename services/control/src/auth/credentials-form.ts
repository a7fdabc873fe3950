import { ServiceError } from '@tollgate/contracts/errors/service-error.ts'
import { isCommonPassword } from './common-passwords.ts'

/** GoTrue refuses longer passwords. */
const maxPasswordBytes = 72

/**
 * Checks a new password before the provider sees it. There are no rules about kinds of characters (OWASP ASVS 5.0, 6.2).
 *
 * @param minLength characters, see `PASSWORD_MIN_LENGTH`
 * @param own the person's own words, for instance the e-mail address: the password must not consist of one of them
 * @throws ServiceError `weak_password`
 */
export function checkNewPassword(password: string, minLength: number, own: readonly string[] = []): void {
  const refuse = (message: string) => new ServiceError('weak_password', { message })
  if ([...password].length < minLength) {
    throw refuse(`Use at least ${minLength} characters for the password.`)
  }
  if (Buffer.byteLength(password) > maxPasswordBytes) {
    throw refuse(`The password is longer than ${maxPasswordBytes} bytes. Choose a shorter one.`)
  }
  if (isCommonPassword(password, own)) {
    throw refuse('This password is easy to guess. Use a few random words instead.')
  }
}

/** A rough check: only the mail shows whether an address exists. */
const addressForm = /^[^\s@]+@[^\s@]+$/

export const isAddress = (text: string): boolean => addressForm.test(text)
