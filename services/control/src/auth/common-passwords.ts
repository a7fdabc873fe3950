import { dictionary } from '@zxcvbn-ts/language-common'

/** Characters. The identity provider may demand more. */
export const minPasswordLength = 8

/**
 * Passwords that attackers try first, in lower case: those of at least {@link minPasswordLength} characters from the list
 * of zxcvbn-ts, which ranks passwords of breaches by how often they were used.
 */
const commonPasswords: ReadonlySet<string> = new Set(
  dictionary['passwords-common'].filter((password) => password.length >= minPasswordLength)
)

/** Words that say what the password is for. A password must have more than one of them. */
const contextWords = ['tollgate', 'gateway', 'llmgateway', 'openai']

/**
 * Whether attackers would guess a password at once: it is common, or has nothing but a word of its context with digits
 * and signs around it (`tollgate2026!`).
 *
 * @param own words of the person, for instance the e-mail address
 */
export function isCommonPassword(password: string, own: readonly string[] = []): boolean {
  const plain = password.toLowerCase()
  if (commonPasswords.has(plain)) return true
  const core = lettersOf(plain)
  if (core === '') return false
  return [...contextWords, ...own.flatMap(wordsOf)].some((word) => core === word)
}

/** The letters of a text, without what people put around a word. */
const lettersOf = (text: string): string => text.replace(/[^\p{L}]/gu, '')

/** `ada.lovelace@example.com` → `adalovelaceexamplecom`, `adalovelace`, `example` and so on. */
function wordsOf(text: string): string[] {
  const parts = text.toLowerCase().split(/[^\p{L}]+/u)
  const beforeAt = text.toLowerCase().split('@')[0]!
  return [text.toLowerCase(), beforeAt, ...parts].map(lettersOf).filter((word) => word.length >= 4)
}
