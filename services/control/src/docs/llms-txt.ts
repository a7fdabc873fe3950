import type { DocsFacts } from '@tollgate/contracts/docs/docs-facts.ts'
import { docsPages } from '@tollgate/contracts/docs/docs-pages.ts'

/**
 * The list of pages for language models: see llmstxt.org.
 *
 * @param supportUrl where people get help; null for none
 */
export function writeLlmsTxt({ name, publicUrl, gatewayUrl }: DocsFacts, supportUrl: string | null): string {
  const pages = Object.entries(docsPages).map(
    ([page, { title, summary }]) => `- [${title}](${publicUrl}/api/docs/${page}.md): ${summary}`
  )
  return `# ${name}

> An API for large language models. It speaks the formats of OpenAI's and Anthropic's APIs, with API keys, budgets and limits.

- Base URL for clients of OpenAI's API: ${gatewayUrl}/v1
- Base URL for clients of Anthropic's API: ${gatewayUrl}
- List the models of a key: GET ${gatewayUrl}/v1/models
- Dashboard: ${publicUrl}/dashboard
${supportUrl === null ? '' : `- Support: ${supportUrl}\n`}
## Docs

${pages.join('\n')}

## API reference

- [Gateway](${publicUrl}/api/docs/gateway.json): OpenAPI document of the API that calls models.
- [Account](${publicUrl}/api/openapi.json): OpenAPI document of keys, usage, billing and webhooks.
`
}
