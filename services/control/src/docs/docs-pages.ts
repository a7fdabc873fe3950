import type { DocsFacts, DocsPage } from './docs-facts.ts'
import { budgets } from './pages/budgets.ts'
import { clients } from './pages/clients.ts'
import { errors } from './pages/errors.ts'
import { limits } from './pages/limits.ts'
import { quickstart } from './pages/quickstart.ts'
import { webhooks } from './pages/webhooks.ts'

/** The pages for customers by the last part of their addresses, in order. */
export const docsPages: Readonly<Record<string, DocsPage>> = { quickstart, clients, errors, limits, budgets, webhooks }

/** A page as a whole Markdown document. */
export const renderPage = ({ title, write }: DocsPage, facts: DocsFacts): string =>
  `# ${title}\n\n${write(facts).trim()}\n`

/** The list of pages for language models: see llmstxt.org. */
export function writeLlmsTxt(facts: DocsFacts): string {
  const { name, publicUrl, gatewayUrl, supportUrl } = facts
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
