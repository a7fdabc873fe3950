import type { DocsPage } from '../docs-facts.ts'

/** The settings of docs/clients.md, with this installation's addresses. */
export const clients: DocsPage = {
  title: 'SDKs and coding agents',
  summary: 'Settings of libraries and coding agents.',
  write: ({ name, id, gatewayUrl }) => `
Clients of OpenAI's API use the address \`${gatewayUrl}/v1\`. Clients of Anthropic's API use \`${gatewayUrl}\`, without \`/v1\`.

## Libraries

\`openai\` for Python and Node.js:

\`\`\`python
OpenAI(base_url="${gatewayUrl}/v1", api_key="YOUR_API_KEY")
\`\`\`

\`\`\`js
new OpenAI({ baseURL: '${gatewayUrl}/v1', apiKey: 'YOUR_API_KEY' })
\`\`\`

\`anthropic\` for Python, \`@anthropic-ai/sdk\` for Node.js:

\`\`\`python
Anthropic(base_url="${gatewayUrl}", api_key="YOUR_API_KEY")
\`\`\`

\`\`\`js
new Anthropic({ baseURL: '${gatewayUrl}', apiKey: 'YOUR_API_KEY' })
\`\`\`

The AI SDK, with \`@ai-sdk/openai\`, \`@ai-sdk/anthropic\` (here with \`/v1\`) or \`@ai-sdk/openai-compatible\`:

\`\`\`js
createOpenAI({ baseURL: '${gatewayUrl}/v1', apiKey: 'YOUR_API_KEY' })
createAnthropic({ baseURL: '${gatewayUrl}/v1', apiKey: 'YOUR_API_KEY' })
createOpenAICompatible({ name: '${id}', baseURL: '${gatewayUrl}/v1', apiKey: 'YOUR_API_KEY' })
\`\`\`

\`@openai/agents\`, with \`tracingDisabled\`:

\`\`\`js
new OpenAIProvider({ baseURL: '${gatewayUrl}/v1', apiKey: 'YOUR_API_KEY' })
\`\`\`

LangChain, with \`@langchain/openai\` or \`@langchain/anthropic\`:

\`\`\`js
new ChatOpenAI({ apiKey: 'YOUR_API_KEY', configuration: { baseURL: '${gatewayUrl}/v1' } })
new ChatAnthropic({ apiKey: 'YOUR_API_KEY', anthropicApiUrl: '${gatewayUrl}' })
\`\`\`

Libraries of OpenAI work with models of the endpoints \`/v1/chat/completions\` and \`/v1/responses\`, those of Anthropic with models of
\`/v1/messages\`. The page of models lists the endpoints of each model.

## Claude Code

Needs a model of \`/v1/messages\`.

\`\`\`sh
export ANTHROPIC_BASE_URL=${gatewayUrl}
export ANTHROPIC_AUTH_TOKEN=YOUR_API_KEY
export ANTHROPIC_MODEL=MESSAGES_MODEL
claude
\`\`\`

## Codex

Needs a model of \`/v1/responses\`. In \`~/.codex/config.toml\`, with the key in the variable \`API_KEY\`:

\`\`\`toml
model = "RESPONSES_MODEL"
model_provider = "${id}"
# Remove this line if the model has a price for calls of web_search.
web_search = "disabled"

[model_providers.${id}]
name = ${JSON.stringify(name)}
base_url = "${gatewayUrl}/v1"
env_key = "API_KEY"
wire_api = "responses"
\`\`\`

In a directory without a Git repository, \`codex exec\` needs \`--skip-git-repo-check\`.

## OpenCode

In \`opencode.json\`. \`npm\` chooses the API: \`@ai-sdk/openai\` (Responses), \`@ai-sdk/anthropic\` or \`@ai-sdk/openai-compatible\`:

\`\`\`json
{
  "model": "${id}/MODEL",
  "provider": {
    "${id}": {
      "npm": "@ai-sdk/openai-compatible",
      "options": { "baseURL": "${gatewayUrl}/v1", "apiKey": "{env:API_KEY}" },
      "models": { "MODEL": {} }
    }
  }
}
\`\`\`

## Qwen Code

\`\`\`sh
OPENAI_BASE_URL=${gatewayUrl}/v1 OPENAI_API_KEY=YOUR_API_KEY OPENAI_MODEL=MODEL qwen --auth-type openai
\`\`\`

## Cline

\`\`\`sh
cline auth -p openai -k YOUR_API_KEY -m MODEL -b ${gatewayUrl}/v1
\`\`\`

## Pi

In \`~/.pi/agent/models.json\`, with the key in the environment variable \`API_KEY\`:

\`\`\`json
{
  "providers": {
    "${id}": {
      "baseUrl": "${gatewayUrl}/v1",
      "api": "openai-responses",
      "apiKey": "API_KEY",
      "models": [{ "id": "RESPONSES_MODEL" }]
    }
  }
}
\`\`\`

Gemini CLI does not work: it speaks only Google's own API.

## If an agent often waits

Agents reserve many tokens for their output with each request. If too few tokens of the minute are left, the agent gets 429
\`tokens_per_minute\`, waits and repeats the request. It waits less with a smaller output limit:

| agent | setting |
| --- | --- |
| Claude Code | \`export CLAUDE_CODE_MAX_OUTPUT_TOKENS=8192\` |
| Qwen Code | \`export QWEN_CODE_MAX_OUTPUT_TOKENS=8192\` |
| OpenCode | \`"MODEL": { "limit": { "context": 200000, "output": 8192 } }\`, with the context of the model |
`
}
