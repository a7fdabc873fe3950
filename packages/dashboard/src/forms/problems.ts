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
  captcha_failed: 'captcha_token'
}

/**
 * Assigns the message of a failed call to a field or to the whole form. An `invalid_request` message starts with the name
 * of the field.
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
    if (names.has(member)) return { fields: { [member]: sentence(reason) }, general: null }
  }
  return { fields: {}, general: message }
}

const sentence = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1).replace(/\.$/, '')}.`
