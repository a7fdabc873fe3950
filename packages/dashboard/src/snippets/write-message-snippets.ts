import { defaultMaxTokens } from '../chat-models/chat-api.ts'
import { type Language, type Message, type SnippetOptions, splitSystem, writeBody } from './snippet-options.ts'

/**
 * Writes the same call of Anthropic's API in each language, ready to run. It takes the system prompt as a member of its
 * own.
 */
export function writeMessageSnippets(options: SnippetOptions): Record<Exclude<Language, 'ai'>, string> {
  return { curl: writeCurl(options), python: writePython(options), node: writeNode(options) }
}

interface Parts {
  readonly others: readonly Message[]
  /** Name and value of the members besides messages, as both languages write them. */
  readonly members: ReadonlyArray<readonly [name: string, value: string]>
}

function partsOf({ model, messages, temperature, max_tokens = defaultMaxTokens }: SnippetOptions): Parts {
  const { system, others } = splitSystem(messages)
  return {
    others,
    members: [
      ['model', JSON.stringify(model)],
      ['max_tokens', String(max_tokens)],
      ...(temperature === undefined ? [] : [['temperature', String(temperature)] as const]),
      ...(system === undefined ? [] : [['system', JSON.stringify(system)] as const])
    ]
  }
}

function writeCurl(options: SnippetOptions): string {
  const { gatewayUrl, secret, isStream } = options
  const { others, members } = partsOf(options)
  const rest = Object.fromEntries(members.map(([name, value]) => [name, JSON.parse(value) as unknown]))
  const body = writeBody({ ...rest, ...(isStream && { stream: true }), messages: others })
  return [
    `curl ${isStream ? '-N ' : ''}${gatewayUrl}/v1/messages \\`,
    `  -H "Authorization: Bearer ${secret}" \\`,
    `  -H "anthropic-version: 2023-06-01" \\`,
    `  -H "Content-Type: application/json" \\`,
    `  -d ${body}`
  ].join('\n')
}

function writeNode(options: SnippetOptions): string {
  const { gatewayUrl, secret, isStream } = options
  const { others, members } = partsOf(options)
  const use = isStream
    ? [
        'for await (const event of answer) {',
        "  if (event.type === 'content_block_delta' && event.delta.type === 'text_delta') process.stdout.write(event.delta.text)",
        '}'
      ]
    : ["for (const part of answer.content) if (part.type === 'text') console.log(part.text)"]
  return [
    `import Anthropic from '@anthropic-ai/sdk'`,
    '',
    'const client = new Anthropic({',
    `  baseURL: '${gatewayUrl}',`,
    `  apiKey: '${secret}'`,
    '})',
    'const answer = await client.messages.create({',
    ...members.map(([name, value]) => `  ${name}: ${value},`),
    ...(isStream ? ['  stream: true,'] : []),
    `  messages: ${JSON.stringify(others, null, 2).replaceAll('\n', '\n  ')}`,
    '})',
    ...use
  ].join('\n')
}

function writePython(options: SnippetOptions): string {
  const { gatewayUrl, secret, isStream } = options
  const { others, members } = partsOf(options)
  const use = isStream
    ? [
        'for event in answer:',
        '    if event.type == "content_block_delta" and event.delta.type == "text_delta":',
        '        print(event.delta.text, end="", flush=True)'
      ]
    : ['for part in answer.content:', '    if part.type == "text":', '        print(part.text)']
  return [
    'from anthropic import Anthropic',
    '',
    'client = Anthropic(',
    `    base_url="${gatewayUrl}",`,
    `    api_key="${secret}",`,
    ')',
    'answer = client.messages.create(',
    ...members.map(([name, value]) => `    ${name}=${value},`),
    ...(isStream ? ['    stream=True,'] : []),
    '    messages=[',
    // A JSON string is also a valid Python string.
    ...others.map(({ role, content }) => `        {"role": "${role}", "content": ${JSON.stringify(content)}},`),
    '    ],',
    ')',
    ...use
  ].join('\n')
}
