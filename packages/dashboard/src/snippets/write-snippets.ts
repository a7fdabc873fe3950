import type { ChatApi } from '../chat-models/chat-api.ts'
import { type Language, type SnippetOptions, splitSystem, writeBody } from './snippet-options.ts'
import { writeMessageSnippets } from './write-message-snippets.ts'

/** Writes the same chat call in each language, ready to run. */
export function writeSnippets(options: SnippetOptions): Record<Language, string> {
  const others = options.api === 'messages' ? writeMessageSnippets(options) : writeChatSnippets(options)
  return { ...others, ai: writeAiSdk(options) }
}

const writeChatSnippets = (options: SnippetOptions) => ({
  curl: writeCurl(options),
  python: writePython(options),
  node: writeNode(options)
})

/** The members besides messages, as lines of `<name><separator><value>`. */
function parameterLines({ temperature, max_tokens }: SnippetOptions, indent: string, separator: string): string[] {
  return Object.entries({ temperature, max_tokens }).flatMap(([name, value]) =>
    value === undefined ? [] : [`${indent}${name}${separator}${value},`]
  )
}

function writeCurl({ gatewayUrl, secret, model, messages, isStream, temperature, max_tokens }: SnippetOptions): string {
  const body = writeBody({ model, temperature, max_tokens, ...(isStream && { stream: true }), messages })
  return [
    `curl ${isStream ? '-N ' : ''}${gatewayUrl}/v1/chat/completions \\`,
    `  -H "Authorization: Bearer ${secret}" \\`,
    `  -H "Content-Type: application/json" \\`,
    `  -d ${body}`
  ].join('\n')
}

function writeNode(options: SnippetOptions): string {
  const { gatewayUrl, secret, model, messages, isStream } = options
  const call = [
    `const answer = await client.chat.completions.create({`,
    `  model: ${JSON.stringify(model)},`,
    ...parameterLines(options, '  ', ': '),
    ...(isStream ? ['  stream: true,'] : []),
    `  messages: ${JSON.stringify(messages, null, 2).replaceAll('\n', '\n  ')}`,
    '})'
  ]
  const use = isStream
    ? ['for await (const chunk of answer) {', `  process.stdout.write(chunk.choices[0]?.delta?.content ?? '')`, '}']
    : ['console.log(answer.choices[0].message.content)']
  return [
    `import OpenAI from 'openai'`,
    '',
    'const client = new OpenAI({',
    `  baseURL: '${gatewayUrl}/v1',`,
    `  apiKey: '${secret}'`,
    '})',
    ...call,
    ...use
  ].join('\n')
}

/** The provider of Vercel's AI SDK for an API. */
const aiProviders = {
  chat: { create: 'createOpenAICompatible', module: '@ai-sdk/openai-compatible', settings: [`  name: 'gateway',`] },
  messages: { create: 'createAnthropic', module: '@ai-sdk/anthropic', settings: [] }
} as const satisfies Record<ChatApi, unknown>

/** Vercel's AI SDK takes the system prompt as a member of its own. */
function writeAiSdk({
  api,
  gatewayUrl,
  secret,
  model,
  messages,
  isStream,
  temperature,
  max_tokens
}: SnippetOptions): string {
  const { system, others } = splitSystem(messages)
  const { create, module, settings } = aiProviders[api]
  const parameters = [
    ...(temperature === undefined ? [] : [`  temperature: ${temperature},`]),
    ...(max_tokens === undefined ? [] : [`  maxOutputTokens: ${max_tokens},`]),
    ...(system === undefined ? [] : [`  instructions: ${JSON.stringify(system)},`])
  ]
  return [
    `import { ${create} } from '${module}'`,
    `import { ${isStream ? 'streamText' : 'generateText'} } from 'ai'`,
    '',
    `const gateway = ${create}({`,
    ...settings,
    `  baseURL: '${gatewayUrl}/v1',`,
    `  apiKey: '${secret}'`,
    '})',
    isStream ? 'const { textStream } = streamText({' : 'const { text } = await generateText({',
    `  model: gateway(${JSON.stringify(model)}),`,
    ...parameters,
    `  messages: ${JSON.stringify(others, null, 2).replaceAll('\n', '\n  ')}`,
    '})',
    ...(isStream ? ['for await (const text of textStream) process.stdout.write(text)'] : ['console.log(text)'])
  ].join('\n')
}

function writePython(options: SnippetOptions): string {
  const { gatewayUrl, secret, model, messages, isStream } = options
  // A JSON string is also a valid Python string.
  const written = messages
    .map(({ role, content }) => `        {"role": "${role}", "content": ${JSON.stringify(content)}},`)
    .join('\n')
  const use = isStream
    ? [
        'for chunk in answer:',
        '    if chunk.choices:',
        '        print(chunk.choices[0].delta.content or "", end="", flush=True)'
      ]
    : ['print(answer.choices[0].message.content)']
  return [
    'from openai import OpenAI',
    '',
    'client = OpenAI(',
    `    base_url="${gatewayUrl}/v1",`,
    `    api_key="${secret}",`,
    ')',
    'answer = client.chat.completions.create(',
    `    model=${JSON.stringify(model)},`,
    ...parameterLines(options, '    ', '='),
    ...(isStream ? ['    stream=True,'] : []),
    '    messages=[',
    written,
    '    ],',
    ')',
    ...use
  ].join('\n')
}
