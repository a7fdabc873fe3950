import type { DocsPage } from '../docs-facts.ts'

export const quickstart: DocsPage = {
  title: 'Quickstart',
  summary: 'From an account to the first answer of a model.',
  write: ({ publicUrl, gatewayUrl, modelsUrl }) => `
1. [Create an account](${publicUrl}/register), then an [API key](${publicUrl}/dashboard/keys?create=1). Copy the key at once: we show it only once.
2. Choose a [model](${modelsUrl}).
3. Send a request with one of these examples.

## curl

\`\`\`sh
curl ${gatewayUrl}/v1/chat/completions \\
  -H "Authorization: Bearer YOUR_API_KEY" \\
  -H "Content-Type: application/json" \\
  -d '{ "model": "MODEL", "messages": [{ "role": "user", "content": "Hello!" }] }'
\`\`\`

## Python

With OpenAI's library: \`pip install openai\`

\`\`\`python
from openai import OpenAI

client = OpenAI(base_url="${gatewayUrl}/v1", api_key="YOUR_API_KEY")
answer = client.chat.completions.create(
    model="MODEL",
    messages=[{"role": "user", "content": "Hello!"}],
)
print(answer.choices[0].message.content)
\`\`\`

## Node.js

With OpenAI's library: \`npm install openai\`

\`\`\`js
import OpenAI from 'openai'

const client = new OpenAI({ baseURL: '${gatewayUrl}/v1', apiKey: 'YOUR_API_KEY' })
const answer = await client.chat.completions.create({
  model: 'MODEL',
  messages: [{ role: 'user', content: 'Hello!' }]
})
console.log(answer.choices[0].message.content)
\`\`\`

## Claude models

Anthropic's models speak Anthropic's API: see [SDKs and coding agents](${publicUrl}/docs/clients). The page of each [model](${modelsUrl}) lists its
endpoints.

## What it cost

The header \`x-tollgate-cost\` of the answer has the dollars that you are charged. With \`"usage": { "include": true }\` in the body, the answer has
them as \`usage.cost\`. [Your requests](${publicUrl}/dashboard/requests) show the cost of each request, and why.

## Keep the key safe

Whoever has the key can spend its budget. Keep it on your server, in an environment variable, and never in a page or an app. Give each app its
own key and [budget](${publicUrl}/docs/budgets). A key that you revoke stops working at once.
`
}
