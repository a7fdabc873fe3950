import { isRetryable } from '../../errors/should-retry.ts'
import { type ErrorCode, errorTable } from '../../errors/table.ts'
import type { DocsPage } from '../docs-facts.ts'

/** A message of the error table in its two parts. */
export interface SplitMessage {
  readonly happened: string
  /** What to do next. */
  readonly remedy: string
}

/** Messages say first what happened, and then what to do. */
export function splitMessage(message: string): SplitMessage {
  const [, happened = message, remedy = ''] = /^(.*?[.;:]) (?=\S)(.+)$/.exec(message) ?? []
  return { happened: happened.replace(/[;:]$/, '.'), remedy: remedy.charAt(0).toUpperCase() + remedy.slice(1) }
}

export const errors: DocsPage = {
  title: 'Errors',
  summary: 'Every error code, what it means and what to do.',
  write: () => {
    const codes = Object.keys(errorTable).sort() as ErrorCode[]
    return `
Every error has this body, and \`doc_url\` with the address of its page. Programs check \`code\`: it never changes its meaning. When you ask for help, send the header \`x-request-id\`.

\`\`\`json
{
  "error": {
    "message": "The API key is not valid. …",
    "type": "authentication_error",
    "code": "invalid_api_key"
  }
}
\`\`\`

At \`/v1/messages\`, errors have the shape of Anthropic's API, and \`error.details.error_code\` is the code.
\`x-should-retry\` says whether to retry, and \`Retry-After\` when. OpenAI's and Anthropic's SDKs obey both.

${codes.map(describeError).join('\n\n')}
`
  }
}

function describeError(code: ErrorCode): string {
  const [status, type, message] = errorTable[code]
  const { happened, remedy } = splitMessage(message)
  const retry = isRetryable(code, null) ? 'Retry: yes.' : 'Retry: no.'
  return [`## ${code}`, `Status ${status}, type \`${type}\`. ${retry}`, happened, `**What to do:** ${remedy}`].join(
    '\n\n'
  )
}
