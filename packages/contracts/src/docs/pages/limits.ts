import type { DocsPage } from '../docs-facts.ts'

export const limits: DocsPage = {
  title: 'Limits',
  summary: 'Rates, bursts and concurrent requests, and how to stay below them.',
  write: ({ publicUrl }) => `
Your [limits](${publicUrl}/dashboard/limits) show what your plan allows and what is left now. \`GET ${publicUrl}/api/limits\` has the same
numbers. All keys of an account share them. A key can have a lower request rate of its own.

| limit | what counts | over it |
| --- | --- | --- |
| requests per minute | each request that starts | 429 \`requests_per_minute\` |
| tokens per minute | the prompt and the maximum output of each request | 429 \`tokens_per_minute\` |
| concurrent requests | requests in flight | 429 \`concurrent_requests\` |
| bodies in flight | bytes of the bodies of a key's requests in flight | 429 \`concurrent_request_bytes\` |

A burst is how much may come at once. It refills all the time, so there is no fixed minute to wait for. Any 60 seconds admit at most the limit
of a minute and the burst.

Answers have \`x-ratelimit-limit-requests\`, \`x-ratelimit-remaining-requests\`, \`x-ratelimit-reset-requests\`, and the same for \`tokens\`.
\`Retry-After\` of a 429 says how many seconds to wait.

A request counts with its maximum output while it runs. Set \`max_completion_tokens\` or \`max_tokens\` to what you need, and more requests fit
into the limit. When the request ends, tokens that it did not use come back. If fewer tokens are left than you ask for, the output limit is
lowered, but not below the model's default. The header \`x-tollgate-granted-output-tokens\` has the limit.
`
}
