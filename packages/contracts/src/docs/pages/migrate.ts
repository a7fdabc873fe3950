import type { DocsPage } from '../docs-facts.ts'

export const migrate: DocsPage = {
  title: 'Move from another API',
  summary: 'What to change in code that calls OpenAI, Anthropic or OpenRouter today.',
  write: ({ publicUrl, gatewayUrl, modelsUrl }) => `
Change the address and the key. The names of models may differ: the [models](${modelsUrl}) have them.

| from | base URL | key |
| --- | --- | --- |
| OpenAI | \`${gatewayUrl}/v1\` | in \`Authorization: Bearer\`, as before |
| Anthropic | \`${gatewayUrl}\`, without \`/v1\` | in \`x-api-key\` or \`Authorization: Bearer\` |
| OpenRouter | \`${gatewayUrl}/v1\`, instead of \`/api/v1\` | in \`Authorization: Bearer\`, as before |

Many programs read both from the environment:

\`\`\`sh
export OPENAI_BASE_URL=${gatewayUrl}/v1
export OPENAI_API_KEY=YOUR_API_KEY
\`\`\`

\`\`\`sh
export ANTHROPIC_BASE_URL=${gatewayUrl}
export ANTHROPIC_API_KEY=YOUR_API_KEY
\`\`\`

## From OpenAI

Chat completions, responses, completions, embeddings and moderations work. Files, batches, fine-tuning, image generation and realtime do not.
A member that changes the price in a way that we cannot bound gets 400 \`unpriced_parameter\`; the message names it.

## From Anthropic

\`/v1/messages\` and \`/v1/messages/count_tokens\` work, with streams, tools, thinking and prompt caching. Batches, files and the code execution
tool do not.

## From OpenRouter

- \`usage: { include: true }\`, \`GET /v1/key\` and \`GET /v1/credits\` work as you know them.
- We choose the provider of a model, and fail over if it is down. The members \`provider\`, \`models\`, \`route\` and \`transforms\` get 400.
- For a cheaper model once a budget is used up, set \`on_exhausted\` of the [key](${publicUrl}/dashboard/keys).
- Model names have no \`:free\` or \`:nitro\` at their end.
`
}
