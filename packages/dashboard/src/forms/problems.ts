import { ApiError, explain } from '../api/api-error.ts'

/** What is wrong with a form: by the name of a field, or with all of it. */
export type Problems = { readonly fields: Readonly<Record<string, string>>; readonly general: string | null }

export const noProblems: Problems = { fields: {}, general: null }

/** The field that a failure is about, whatever form it comes from. */
const fieldOfCode: Readonly<Record<string, string>> = {
  invalid_email: 'email',
  weak_password: 'password',
  wrong_password: 'current_password',
  invalid_code: 'code',
  already_member: 'email'
}

/**
 * Puts a failed call's message where it belongs. Of what the API refuses as not valid, it names the member first.
 *
 * @param names of the fields that the form has
 */
export function toProblems(error: unknown, names: ReadonlySet<string>): Problems {
  const message = explain(error)
  if (!(error instanceof ApiError)) return { fields: {}, general: message }
  const byCode = fieldOfCode[error.code]
  if (byCode !== undefined && names.has(byCode)) return { fields: { [byCode]: message }, general: null }
  if (error.code === 'invalid_request') {
    const [, member = '', reason = ''] = /^([a-z_]+)[^:]*: (.+)$/.exec(message) ?? []
    if (names.has(member)) return { fields: { [member]: sentence(reason) }, general: null }
  }
  return { fields: {}, general: message }
}

const sentence = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1).replace(/\.$/, '')}.`
