/** What people have to type in several forms, and what is said if they did not. */

export const textOf = (data: FormData, name: string): string => {
  const value = data.get(name)
  return typeof value === 'string' ? value : ''
}

const decimal = /^(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i

/** @returns what a decimal number says, such as `12.50` or, as a very small one is shown, `1e-9`; NaN for anything else */
export const numberOf = (text: string): number => (decimal.test(text) ? Number(text) : Number.NaN)

/** The rough form, as the API checks it: whether an address exists shows when the mail arrives. */
const addressForm = /^[^\s@]+@[^\s@]+$/

/** @param whose as in `your` */
export function problemOfAddress(text: string, whose: 'your' | 'their' = 'your'): string | null {
  if (text === '') return `Enter ${whose} e-mail address.`
  return addressForm.test(text) ? null : 'Enter an e-mail address, such as ada@example.com.'
}

/** What the identity provider demands at least unless its operator asks for more, and what it can hash. */
const fewestCharacters = 6
const mostBytes = 72

export function problemOfNewPassword(text: string): string | null {
  if (text === '') return 'Choose a password.'
  if (text.length < fewestCharacters) return `Choose a password of at least ${fewestCharacters} characters.`
  if (new TextEncoder().encode(text).length > mostBytes) return `The password is longer than ${mostBytes} bytes.`
  return null
}

/** Leaves those fields that something is wrong with. */
export function onlyProblems(problems: Readonly<Record<string, string | null>>): Record<string, string> {
  const found = Object.entries(problems).filter((pair): pair is [string, string] => pair[1] !== null)
  return Object.fromEntries(found)
}
