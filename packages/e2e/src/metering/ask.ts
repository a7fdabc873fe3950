const chat = {
  path: '/chat/completions',
  headers: {},
  outputLimit: 'max_tokens',
  firstWord: /"content":"[^"]/,
  finish: /"finish_reason":"/,
  end: /data: \[DONE\]\n\n$/
} as const satisfies ClientApi

const responses = {
  path: '/responses',
  headers: {},
  outputLimit: 'max_output_tokens',
  firstWord: /"delta":"[^"]/,
  finish: /"type":"response\.output_text\.done"/,
  end: /"type":"response\.(?:completed|incomplete|failed)"[^\n]*\n\n$/
} as const satisfies ClientApi

/** The APIs of models. Embeddings and compacted conversations have no streams. */
export const clientApis = {
  chat,
  completions: { ...chat, path: '/completions', firstWord: /"text":"[^"]/ },
  embeddings: { ...chat, path: '/embeddings', outputLimit: null },
  responses,
  compact: { ...responses, path: '/responses/compact', outputLimit: null },
  messages: {
    path: '/messages',
    headers: { 'anthropic-version': '2023-06-01' },
    outputLimit: 'max_tokens',
    firstWord: /"text":"[^"]/,
    finish: /"type":"content_block_stop"/,
    end: /"type":"message_stop"\}\n\n$/
  }
} as const satisfies Record<string, ClientApi>

/** A complete answer. */
export interface Answer {
  status: number
  headers: Headers
  text: string
  /** The error with its code, in the same form for all APIs; null on success. */
  error: ({ code: string; message: string } & Record<string, unknown>) | null
}

export interface AskOptions {
  /** The API to speak; chat if absent. */
  api?: ApiName
  /** Another path below `/v1` than the API's. */
  path?: string
  /** The `Idempotency-Key`; none if absent. */
  idempotencyKey?: string
  signal?: AbortSignal
}

/** Sends a body to a gateway and reads the whole answer. @throws if the connection breaks or the signal aborts */
export async function ask(gateway: string, secret: string, body: object, options: AskOptions = {}): Promise<Answer> {
  const response = await send(gateway, secret, body, options)
  const text = await response.text()
  const { status, headers } = response
  return { status, headers, text, error: status === 200 ? null : errorIn(JSON.parse(text)) }
}

/** Anthropic's API has our code and its details in `details`. */
function errorIn({ error }: { error: { message: string; code: string; details?: { error_code: string } | null } }) {
  const { details, ...members } = error
  return details == null ? members : { ...members, ...details, code: details.error_code }
}

/** Sends a body to a gateway. Resolves when the response headers are there. */
export function send(
  gateway: string,
  secret: string,
  body: object,
  { api = 'chat', path = clientApis[api].path, idempotencyKey, signal }: AskOptions = {}
): Promise<Response> {
  return fetch(`${gateway}/v1${path}`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${secret}`,
      'content-type': 'application/json',
      ...clientApis[api].headers,
      ...(idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey })
    },
    body: JSON.stringify(body),
    ...(signal === undefined ? {} : { signal })
  })
}

/** Reads an answer until its text matches or ends, then hangs up. @returns the text read */
export async function hangUpAt(response: Response, marker: RegExp): Promise<string> {
  return readUntil(response, (text) => marker.test(text))
}

/** Reads a number of chunks of an answer, then hangs up. @returns the text read */
export async function hangUpAfter(response: Response, parts: number): Promise<string> {
  return readUntil(response, (_, read) => read >= parts)
}

async function readUntil(response: Response, isEnough: (text: string, parts: number) => boolean): Promise<string> {
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader()
  let text = ''
  for (let parts = 0; !isEnough(text, parts); parts++) {
    const { done, value } = await reader.read()
    if (done) return text
    text += value
  }
  await reader.cancel()
  return text
}

/** How clients of one API send a request and read its answer. */
interface ClientApi {
  /** Below `/v1`. */
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  /** The request member that limits the output; null for an API without one. */
  readonly outputLimit: string | null
  /** Matches a stream once it has a word of the model. */
  readonly firstWord: RegExp
  /** Matches a stream once the model has stopped. Its usage comes later. */
  readonly finish: RegExp
  /** Matches a stream that is whole. */
  readonly end: RegExp
}

export type ApiName = keyof typeof clientApis

/** Whether a stream ended with a failure that the gateway reports. */
export const reportsFailure = (stream: string): boolean => /"(?:error_)?code":"upstream_/.test(stream)
