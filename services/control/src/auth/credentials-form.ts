import { ServiceError } from '@tollgate/contracts/errors/service-error.ts'
import { isCommonPassword, minPasswordLength } from './common-passwords.ts'

/** What GoTrue hashes; it refuses longer ones. */
const longestPasswordBytes = 72

/**
 * What can be said of a new password before the provider sees it. There are no rules about kinds of characters
 * (OWASP ASVS 5.0, 6.2).
 *
 * @param own words of the person that the password must not consist of, for instance the e-mail address
 * @throws ServiceError `weak_password`
 */
export function checkNewPassword(password: string, own: readonly string[] = []): void {
  const refuse = (message: string) => new ServiceError('weak_password', { message })
  if ([...password].length < minPasswordLength) {
    throw refuse(`Use at least ${minPasswordLength} characters for the password.`)
  }
  if (Buffer.byteLength(password) > longestPasswordBytes) {
    throw refuse(`The password is longer than ${longestPasswordBytes} bytes.`)
  }
  if (isCommonPassword(password, own)) {
    throw refuse('This password is easy to guess. Use a few random words instead.')
  }
}

/** No more than the rough form: whether an address exists shows when the mail arrives. */
const addressForm = /^[^\s@]+@[^\s@]+$/

export const isAddress = (text: string): boolean => addressForm.test(text)
