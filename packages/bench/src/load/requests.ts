/** The APIs of the bench, by their paths. */
export const benchPaths = {
  chat: '/v1/chat/completions',
  responses: '/v1/responses',
  messages: '/v1/messages'
} as const
export type BenchApi = keyof typeof benchPaths

const system = 'You are a terse assistant. Answer in one paragraph and name no sources.'
const question = `${'Please say in your own words what a gateway in front of models is for. '.repeat(10)}`

/** The members of a request besides the model, in each API. */
const members: Record<BenchApi, object> = {
  chat: {
    messages: [
      { role: 'system', content: system },
      { role: 'user', content: question }
    ],
    temperature: 0.7,
    max_tokens: 256
  },
  responses: {
    instructions: system,
    input: [{ role: 'user', content: [{ type: 'input_text', text: question }] }],
    temperature: 0.7,
    max_output_tokens: 256,
    store: false
  },
  messages: {
    system: [{ type: 'text', text: system }],
    messages: [{ role: 'user', content: [{ type: 'text', text: question }] }],
    temperature: 0.7,
    max_tokens: 256
  }
}

/** A request of about 1 KB, as the API's client library sends it. The body differs only in the model. */
export function benchRequest(options: {
  api: BenchApi
  port: number
  model: string
  apiKey: string
  stream: boolean
  /** The value of `Idempotency-Key`; none by default. */
  idempotencyKey?: string
}): string {
  const { api, model, stream, idempotencyKey } = options
  const body = JSON.stringify({ model, ...members[api], ...(stream ? { stream: true } : {}) })
  return [
    `POST ${benchPaths[api]} HTTP/1.1`,
    `host: 127.0.0.1:${options.port}`,
    'connection: keep-alive',
    'accept: application/json',
    'content-type: application/json',
    ...(api === 'messages'
      ? ['user-agent: Anthropic/JS 1.12.0', 'anthropic-version: 2023-06-01']
      : ['user-agent: OpenAI/JS 7.55.0']),
    'x-stainless-retry-count: 0',
    'x-stainless-lang: js',
    'x-stainless-package-version: 7.55.0',
    'x-stainless-os: Linux',
    'x-stainless-arch: x64',
    'x-stainless-runtime: node',
    'x-stainless-runtime-version: v24.21.0',
    ...(idempotencyKey === undefined ? [] : [`idempotency-key: ${idempotencyKey}`]),
    `authorization: Bearer ${options.apiKey}`,
    `content-length: ${Buffer.byteLength(body)}`,
    '',
    body
  ].join('\r\n')
}
