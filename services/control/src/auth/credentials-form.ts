import { ServiceError } from '@tollgate/contracts/errors/service-error.ts'
import { dictionary } from '@zxcvbn-ts/language-common'

/** No operator can demand fewer characters. */
const minPasswordLength = 8

/**
 * Passwords that attackers try first, in lower case, of at least {@link minPasswordLength} characters. The list of
 * zxcvbn-ts ranks passwords from breaches by how often people used them.
 */
const commonPasswords: ReadonlySet<string> = new Set(
  dictionary['passwords-common'].filter((password) => password.length >= minPasswordLength)
)

/** Words for the password's purpose. A password must not consist of one of them alone. */
const contextWords = ['tollgate', 'gateway', 'llmgateway', 'openai']

/**
 * Whether attackers would guess a password at once: it is common, or is one context word with digits and signs around
 * it (`tollgate2026!`).
 *
 * @param own the person's own words, for instance the e-mail address
 */
function isCommonPassword(password: string, own: readonly string[] = []): boolean {
  const plain = password.toLowerCase()
  if (commonPasswords.has(plain)) return true
  const core = lettersOf(plain)
  if (core === '') return false
  return [...contextWords, ...own.flatMap(wordsOf)].some((word) => core === word)
}

/** The letters of a text, without digits and signs. */
const lettersOf = (text: string): string => text.replace(/[^\p{L}]/gu, '')

/** `ada.lovelace@example.com` → `adalovelaceexamplecom`, `adalovelace`, `example` and so on. */
function wordsOf(text: string): string[] {
  const parts = text.toLowerCase().split(/[^\p{L}]+/u)
  const beforeAt = text.toLowerCase().split('@')[0]!
  return [text.toLowerCase(), beforeAt, ...parts].map(lettersOf).filter((word) => word.length >= 4)
}

/** GoTrue refuses longer passwords. */
const maxPasswordBytes = 72

/**
 * Checks a new password before the provider sees it. There are no rules about kinds of characters (OWASP ASVS 5.0,
 * 6.2).
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
