import { type ApiError, invalidRequest } from '../api-error.ts'
import type { Problem } from '../find-problem.ts'
import { refuseMember } from '../parse-request.ts'

/** The error about an invalid member, with a path as this API writes it: `input[0].content[1].type`. */
export function refuseResponseMember({ kind, path, detail }: Problem): ApiError {
  const param = pathOf(path)
  return refuseMember({ kind, path: param === '' ? [] : [param], detail })
}

/** The path as this API writes it. */
export function pathOf(path: readonly string[]): string {
  return path.map((part, index) => (/^\d+$/.test(part) ? `[${part}]` : `${index === 0 ? '' : '.'}${part}`)).join('')
}

/** The errors about what the server does not have. */
export const responseNotFound = (id: string) => ({ message: `Response with id '${id}' not found.` })

export const previousNotFound = (id: string): ApiError =>
  invalidRequest(`Previous response with id '${id}' not found.`, 'previous_response_id', 'previous_response_not_found')
