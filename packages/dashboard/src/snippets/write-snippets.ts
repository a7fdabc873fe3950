export const languages = [
  ['curl', 'curl'],
  ['node', 'Node.js'],
  ['python', 'Python']
] as const
export type Language = (typeof languages)[number][0]

export interface Message {
  readonly role: 'system' | 'user' | 'assistant'
  readonly content: string
}
export interface SnippetOptions {
  /** The gateway's public origin. */
  readonly gatewayUrl: string
  /** A key, or a placeholder for it. */
  readonly secret: string
  readonly model: string
  readonly messages: readonly Message[]
  readonly isStream: boolean
}

/** Writes the same chat call in each language, ready to run. */
export function writeSnippets(options: SnippetOptions): Record<Language, string> {
  return { curl: writeCurl(options), node: writeNode(options), python: writePython(options) }
}

function writeCurl({ gatewayUrl, secret, model, messages, isStream }: SnippetOptions): string {
  const body = JSON.stringify({ model, messages, ...(isStream && { stream: true }) }, null, 2)
  return [
    `curl ${isStream ? '-N ' : ''}${gatewayUrl}/v1/chat/completions \\`,
    `  -H "Authorization: Bearer ${secret}" \\`,
    `  -H "Content-Type: application/json" \\`,
    // In single quotes, a shell treats only the single quote itself specially.
    `  -d '${body.replaceAll("'", `'\\''`)}'`
  ].join('\n')
}

function writeNode({ gatewayUrl, secret, model, messages, isStream }: SnippetOptions): string {
  const call = [
    `const answer = await client.chat.completions.create({`,
    `  model: ${JSON.stringify(model)},`,
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

function writePython({ gatewayUrl, secret, model, messages, isStream }: SnippetOptions): string {
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
    ...(isStream ? ['    stream=True,'] : []),
    '    messages=[',
    written,
    '    ],',
    ')',
    ...use
  ].join('\n')
}
