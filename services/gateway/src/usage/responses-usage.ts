import { memberOf } from '../body/member-of.ts'
import { type ReportedUsage, readUsage } from './usage.ts'

/** Reads the `usage` object of the Responses API. It has the same numbers as a chat's, by other names. @returns as {@link readUsage} */
export function readResponsesUsage(usage: unknown): ReportedUsage | null {
  return readUsage({
    prompt_tokens: memberOf(usage, 'input_tokens'),
    prompt_tokens_details: memberOf(usage, 'input_tokens_details'),
    completion_tokens: memberOf(usage, 'output_tokens'),
    completion_tokens_details: memberOf(usage, 'output_tokens_details'),
    total_tokens: memberOf(usage, 'total_tokens')
  })
}

/** Reads the text of such an object. @returns null if it has no tokens, or is not JSON */
export function readResponsesUsageText(text: string): ReportedUsage | null {
  try {
    return readResponsesUsage(JSON.parse(text))
  } catch {
    return null
  }
}
