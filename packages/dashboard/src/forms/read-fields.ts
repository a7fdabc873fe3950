import { signInFacts } from '../sign-in-facts.ts'

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
  const found = Object.entries(problems).filter((pair): pair is [string, string] => pair[1] !== null)
  return Object.fromEntries(found)
}
