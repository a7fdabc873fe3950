import { dictionary } from '@zxcvbn-ts/language-common'

/** No operator can demand fewer characters. */
const minPasswordLength = 8

/**
 * Passwords that attackers try first, in lower case, of at least {@link minPasswordLength} characters. The list of zxcvbn-ts
 * ranks passwords from breaches by how often people used them.
 */
const commonPasswords: ReadonlySet<string> = new Set(
  dictionary['passwords-common'].filter((password) => password.length >= minPasswordLength)
)

/** Words for the password's purpose. A password must not consist of one of them alone. */
const contextWords = ['tollgate', 'gateway', 'llmgateway', 'openai']

/**
 * Whether attackers would guess a password at once: it is common, or is one context word with digits and signs around it
 * (`tollgate2026!`).
 *
 * @param own the person's own words, for instance the e-mail address
 */
export function isCommonPassword(password: string, own: readonly string[] = []): boolean {
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
