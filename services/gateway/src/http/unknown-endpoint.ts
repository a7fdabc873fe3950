import { apis } from '@tollgate/contracts/catalog/apis.ts'
import { ServiceError } from '@tollgate/contracts/errors/service-error.ts'
import { failureOfUnrouted } from '@tollgate/service/http/unrouted.ts'
import type { FastifyRequest } from 'fastify'

const chat = 'This service does not offer it. Use POST /v1/chat/completions.'
const direct = 'This service does not offer it. Call the provider directly.'
const counts = 'Use POST /v1/responses/input_tokens or POST /v1/messages/count_tokens.'
const usage =
  'This service does not offer it. Usage and costs are at GET /api/usage of the dashboard, with a management key. GET /v1/key says what is left of the budgets.'
const keys =
  'This service does not offer it. GET /v1/key describes the key of the request. Keys, teams and limits are in the dashboard, and at /api of its address.'
const speech =
  'This service does not offer it. For a spoken answer, use POST /v1/chat/completions with a model that speaks, and "modalities": ["text", "audio"].'
const listening = 'To send audio to a model, put it into the messages of POST /v1/chat/completions as input_audio.'

/**
 * Advice for endpoints of other APIs that Tollgate lacks, by the first parts of the path below `/v1`: OpenAI's,
 * Anthropic's, Gemini's, OpenRouter's, vLLM's, Cohere's and Ollama's. Two parts count before one.
 */
const others = new Map<string, string>([
  ['assistants', chat],
  ['audio', `This service does not offer it. ${listening}`],
  ['audio/speech', speech],
  [
    'batches',
    'This service does not offer it. Send each request to its own endpoint, such as POST /v1/chat/completions.'
  ],
  ['chat', chat],
  ['chatkit', chat],
  ['classify', direct],
  ['complete', 'This service does not offer it. Use POST /v1/messages.'],
  ['containers', direct],
  ['conversations', 'This service does not offer it. Use POST /v1/responses with previous_response_id.'],
  ['credits', usage],
  ['dashboard', usage],
  ['engines', 'Name the model in the body of POST /v1/chat/completions. GET /v1/models lists the models.'],
  ['evals', direct],
  [
    'files',
    'This service does not offer it. To send an image or audio to a model, put it into the messages of POST /v1/chat/completions.'
  ],
  ['fine-tunes', direct],
  ['fine_tuning', direct],
  [
    'generation',
    'This service does not offer it. GET /api/requests/{id} of the dashboard shows a request and its cost.'
  ],
  ['images', direct],
  ['key', keys],
  ['keys', keys],
  ['messages', 'Send each message to POST /v1/messages.'],
  ['ocr', direct],
  ['organization', usage],
  ['organizations', usage],
  ['projects', keys],
  ['realtime', 'This service does not offer it. Use POST /v1/chat/completions with "stream": true.'],
  ['rerank', 'This service does not offer it. Call the provider directly, or compare texts with POST /v1/embeddings.'],
  ['responses', 'This service has POST /v1/responses.'],
  ['score', direct],
  ['skills', direct],
  ['threads', chat],
  ['tokenize', counts],
  ['uploads', direct],
  ['usage', usage],
  ['vector_stores', direct],
  ['videos', direct]
])
/** Paths of other programs, not below `/v1`. */
const elsewhere: ReadonlyArray<readonly [path: RegExp, advice: string]> = [
  [
    /^\/api\/(?:chat|generate|tags|show|embed|embeddings|ps|version)$/,
    "This service does not have Ollama's API. Use POST /v1/chat/completions."
  ],
  [/^\/api(?:\/|$)/, 'This is the gateway. It has no /api: send this request to the address of the dashboard.'],
  [/^\/v1beta(?:\/|$)/, "This service does not have Gemini's API. Use POST /v1/chat/completions."]
]
const paths = Object.values(apis).map(({ path }) => path)
/** Without Anthropic's API, whose clients expect another base URL. */
const openaiPaths = [...paths.filter((path) => path !== apis.messages.path), '/v1/models', '/v1/key', '/v1/credits']
const ours = new RegExp(`/(?:${openaiPaths.map((path) => path.slice('/v1/'.length)).join('|')})$`)
const anthropics = /^(?:\/v1)*(\/messages(?:\/count_tokens)?)$/
const offered = `This service has ${paths.map((path) => `POST ${path}`).join(', ')}, GET /v1/models, GET /v1/models/{model}, GET /v1/key and GET /v1/credits.`

/** The error for a request without a route. It says what to use instead. */
export function unknownEndpoint({
  method,
  raw,
  server
}: Pick<FastifyRequest, 'method' | 'raw' | 'server'>): ServiceError {
  // Codex then falls back to POST at once. Proxies remove `upgrade`, but not this header.
  if (method === 'GET' && raw.headers['sec-websocket-version'] !== undefined)
    return new ServiceError('websocket_not_offered', { headers: { upgrade: 'HTTP/1.1' } })
  return failureOfUnrouted({
    method,
    url: raw.url ?? '/',
    isRouted: (other, path) => server.findRoute({ method: other, url: path }) !== null,
    notFoundCode: 'unknown_endpoint',
    adviceFor: adviseInstead
  })
}

function adviseInstead(path: string): string {
  const trimmed = path.replace(/\/$/, '')
  const message = anthropics.exec(trimmed)
  if (message !== null) return `Use /v1${message[1]}: clients of Anthropic's API expect the base URL without /v1.`
  const end = ours.exec(trimmed)
  // OpenAI's usage of an organization has the names of endpoints at its end.
  if (end !== null && !trimmed.includes('/organization/'))
    return `Use /v1${end[0]}: the base URL of the client must end in /v1, once.`
  const [, one = '', two = ''] = /^(?:\/v1)*\/([^/]+)(?:\/([^/]+))?/.exec(trimmed) ?? []
  return (
    elsewhere.find(([place]) => place.test(trimmed))?.[1] ?? others.get(`${one}/${two}`) ?? others.get(one) ?? offered
  )
}
