/** A chat request of about 1 KB, as OpenAI's client library sends it. The body differs only in the model. */
export function chatRequest(options: { port: number; model: string; apiKey: string; stream: boolean }): string {
  const body = JSON.stringify({
    model: options.model,
    messages: [
      { role: 'system', content: 'You are a terse assistant. Answer in one paragraph and name no sources.' },
      {
        role: 'user',
        content: `${'Please say in your own words what a gateway in front of models is for. '.repeat(10)}`
      }
    ],
    temperature: 0.7,
    max_tokens: 256,
    ...(options.stream ? { stream: true } : {})
  })
  return [
    'POST /v1/chat/completions HTTP/1.1',
    `host: 127.0.0.1:${options.port}`,
    'connection: keep-alive',
    'accept: application/json',
    'content-type: application/json',
    'user-agent: OpenAI/JS 7.55.0',
    'x-stainless-retry-count: 0',
    'x-stainless-lang: js',
    'x-stainless-package-version: 7.55.0',
    'x-stainless-os: Linux',
    'x-stainless-arch: x64',
    'x-stainless-runtime: node',
    'x-stainless-runtime-version: v24.21.0',
    `authorization: Bearer ${options.apiKey}`,
    `content-length: ${Buffer.byteLength(body)}`,
    '',
    body
  ].join('\r\n')
}
