import { ApiError, explain } from '../api/api-error.ts'

/** The problems of a form: by field name, and one for the whole form. */
export interface Problems {
  readonly fields: Readonly<Record<string, string>>
  readonly general: string | null
}

export const noProblems: Problems = { fields: {}, general: null }

/** The field that an error code belongs to, in every form. */
const fieldOfCode: Readonly<Record<string, string>> = {
  invalid_email: 'email',
  weak_password: 'password',
  wrong_password: 'current_password',
  invalid_code: 'code',
  already_member: 'email',
  captcha_failed: 'captcha_token',
  budget_changed: 'monthly_budget_usd'
}

/**
 * Assigns the message of a failed call to a field or to the whole form. An `invalid_request` message starts with the
 * name of the field, and its reason is put in words.
 *
 * @param names the names of the form's fields
 */
export function toProblems(error: unknown, names: ReadonlySet<string>): Problems {
  const message = explain(error)
  if (!(error instanceof ApiError)) return { fields: {}, general: message }
  const byCode = fieldOfCode[error.code]
  if (byCode !== undefined && names.has(byCode)) return { fields: { [byCode]: message }, general: null }
  if (error.code === 'invalid_request') {
    const [, member = '', reason = ''] = /^([a-z_]+)[^:]*: (.+)$/.exec(message) ?? []
    if (names.has(member)) return { fields: { [member]: inWords(reason) }, general: null }
    if (member !== '') return { fields: {}, general: `${capitalized(member.replaceAll('_', ' '))}: ${inWords(reason)}` }
  }
  return { fields: {}, general: message }
}

/** The reasons of the API's schemas, which are written for programs, and what a person can do about each. */
const reasons: ReadonlyArray<readonly [RegExp, string]> = [
  [/^must NOT have more than (\d+) characters$/, 'Use at most $1 characters'],
  [/^must NOT have fewer than 1 characters$/, 'Fill in this field'],
  [/^must NOT have fewer than (\d+) characters$/, 'Use at least $1 characters'],
  [/^must NOT have more than (\d+) (items|properties)$/, 'Use at most $1 of them'],
  [/^must NOT have fewer than (\d+) items$/, 'Choose at least $1'],
  [/^must be <= (\S+)$/, 'Enter at most $1'],
  [/^must be >= (\S+)$/, 'Enter at least $1'],
  [/^must be integer$/, 'Enter a whole number'],
  [/^must be number$/, 'Enter a number'],
  [/^must be equal to one of the allowed values.*$/, 'Choose one of the offered values'],
  [/^must match (pattern|format) .*$/, 'This has a form or characters that are not allowed']
]

function inWords(reason: string): string {
  const [form, words] = reasons.find(([form]) => form.test(reason)) ?? [null, '']
  return sentence(form === null ? reason : reason.replace(form, words))
}

const capitalized = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}`

const sentence = (text: string): string => `${capitalized(text).replace(/\.$/, '')}.`
