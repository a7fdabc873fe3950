import { type ApiError, invalidRequest } from '../api-error.ts'
import type { Problem } from '../find-problem.ts'

/** The error about an invalid member, in this API's words. */
export function refuseMessageMember({ kind, path, detail }: Problem): ApiError {
  if (path.length === 0) return invalidRequest('The request body is not a JSON object.')
  const param = path.join('.')
  if (kind === 'missing') return invalidRequest(`${param}: Field required`, param)
  if (kind === 'unknown') return invalidRequest(`${param}: Extra inputs are not permitted`, param)
  return invalidRequest(`${param}: Input ${detail}`, param)
}
