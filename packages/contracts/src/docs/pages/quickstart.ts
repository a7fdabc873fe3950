import type { DocsPage } from '../docs-facts.ts'

export const quickstart: DocsPage = {
  title: 'Quickstart',
  summary: 'From an account to the first answer of a model.',
  write: ({ publicUrl, gatewayUrl }) => `
1. [Create an API key](${publicUrl}/dashboard/keys?create=1). We show its secret once.
2. Choose a model: [your models with their prices](${publicUrl}/dashboard/models).
3. Send a request:

\`\`\`sh
curl ${gatewayUrl}/v1/chat/completions \\
  -H "Authorization: Bearer YOUR_API_KEY" \\
  -H "Content-Type: application/json" \\
  -d '{ "model": "MODEL", "messages": [{ "role": "user", "content": "Hello!" }] }'
\`\`\`

With OpenAI's library for Python (\`pip install openai\`):

\`\`\`python
from openai import OpenAI

client = OpenAI(base_url="${gatewayUrl}/v1", api_key="YOUR_API_KEY")
answer = client.chat.completions.create(
    model="MODEL",
    messages=[{"role": "user", "content": "Hello!"}],
)
print(answer.choices[0].message.content)
\`\`\`

With OpenAI's library for Node.js (\`npm install openai\`):

\`\`\`js
import OpenAI from 'openai'

const client = new OpenAI({ baseURL: '${gatewayUrl}/v1', apiKey: 'YOUR_API_KEY' })
const answer = await client.chat.completions.create({
  model: 'MODEL',
  messages: [{ role: 'user', content: 'Hello!' }]
})
console.log(answer.choices[0].message.content)
\`\`\`

What each request cost, and why: [your requests](${publicUrl}/dashboard/requests).
`
}
