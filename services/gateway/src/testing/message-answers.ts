import { type FakeUpstream, type Received, startFakeUpstream } from './fake-upstream.ts'
import { type GatewayOptions, startGateway, type TestGateway } from './start-gateway.ts'

/** The usage of {@link messageAnswer} and {@link messageStream}. */
export const messageUsage = { input_tokens: 25, output_tokens: 12 }

/**
 * An answer of Anthropic's Messages API. The white space and the order of members are odd, so that a change of its
 * bytes is seen.
 */
export const messageAnswer =
  '{ "model":"m", "id":"msg_1","type":"message","role":"assistant", "content":[{"type":"text","text":"Hello \\u0077orld"}],' +
  `"stop_reason":"end_turn","stop_sequence":null,"usage":${JSON.stringify(messageUsage)}, "unknown":[1e2]}\n`

/** Writes an event of a stream. */
export const eventOf = (data: { type: string } & Record<string, unknown>): string =>
  `event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`

/** The beginning of a stream of Anthropic's Messages API, up to its first words. */
export const streamBeginning =
  eventOf({
    type: 'message_start',
    message: {
      id: 'msg_1',
      type: 'message',
      role: 'assistant',
      model: 'm',
      content: [],
      stop_reason: null,
      stop_sequence: null,
      usage: { ...messageUsage, output_tokens: 1 }
    }
  }) +
  eventOf({ type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } }) +
  'event: ping\ndata: {"type": "ping"}\n\n' +
  eventOf({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Hello ' } })

/** The rest of that stream. */
export const streamEnd =
  eventOf({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'world' } }) +
  eventOf({ type: 'content_block_stop', index: 0 }) +
  eventOf({
    type: 'message_delta',
    delta: { stop_reason: 'end_turn', stop_sequence: null },
    usage: { output_tokens: messageUsage.output_tokens }
  }) +
  eventOf({ type: 'message_stop' })

export const messageStream = streamBeginning + streamEnd

/** Answers a request as Anthropic's Messages API does. */
export function answerMessage({ request, response, body }: Pick<Received, 'request' | 'response' | 'body'>): void {
  const isStream = body.includes('"stream":true')
  response.setHeader('content-type', isStream ? 'text/event-stream; charset=utf-8' : 'application/json')
  if (request.url!.includes('/count_tokens')) response.end('{"input_tokens":14}')
  else response.end(isStream ? messageStream : messageAnswer)
}

/** An upstream that speaks Messages, and a gateway in front of it. */
export async function startMessages(
  options: GatewayOptions = {},
  members = ''
): Promise<{ upstream: FakeUpstream; gateway: TestGateway; close(): Promise<void> }> {
  const upstream = await startFakeUpstream()
  upstream.answer(answerMessage)
  const gateway = await startGateway(upstream.url, { upstreamsFile: messagesFile(upstream.url, members), ...options })
  return {
    upstream,
    gateway,
    async close() {
      await gateway.close()
      await upstream.close()
    }
  }
}

/** An upstreams file with `test`, which speaks Messages. @param members further ones, as YAML */
export const messagesFile = (url: string, members = ''): string =>
  `upstreams: { test: { base_url: '${url}/v1', credential_variable: TEST_CREDENTIAL, credential_header: x-api-key, speaks: [messages] ${members} } }`

/** Sends a request to `/v1/messages` or a path below it. A body that is not text is sent as JSON. */
export const postMessage = (
  gateway: Pick<TestGateway, 'url'>,
  secret: string,
  body: unknown,
  { path = '', headers = {}, ...options }: RequestInit & { path?: string; headers?: Record<string, string> } = {}
): Promise<Response> =>
  fetch(`${gateway.url}/v1/messages${path}`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'x-api-key': secret,
      'anthropic-version': '2023-06-01',
      ...headers
    },
    body: typeof body === 'string' ? body : JSON.stringify(body),
    ...options
  })

export const messageOf = (model: string, members: object = {}): object => ({
  model,
  max_tokens: 100,
  messages: [{ role: 'user', content: 'Hello' }],
  ...members
})
