import { ServiceError } from '@tollgate/contracts/errors/service-error.ts'
import { failureOfUnrouted } from '@tollgate/service/http/unrouted.ts'
import type { FastifyRequest } from 'fastify'

const chat = 'Use POST /v1/chat/completions.'
const direct = 'This service does not offer it. Call the provider directly.'

/** Advice for endpoints of OpenAI's and Anthropic's APIs that Tollgate lacks, by the first part of the path below `/v1`. */
const others = new Map<string, string>([
  ['assistants', chat],
  ['audio', 'To send audio to a model, put it into the messages of POST /v1/chat/completions as input_audio.'],
  ['batches', 'Send each request to its own endpoint, such as POST /v1/chat/completions.'],
  ['conversations', chat],
  ['engines', 'Name the model in the body of POST /v1/chat/completions. GET /v1/models lists the models.'],
  ['files', 'To send an image or audio to a model, put it into the messages of POST /v1/chat/completions.'],
  ['fine_tuning', direct],
  ['images', direct],
  ['messages', 'Send each message to POST /v1/messages.'],
  ['moderations', direct],
  ['realtime', 'Use POST /v1/chat/completions with "stream": true.'],
  ['responses', 'This service has POST /v1/responses.'],
  ['threads', chat],
  ['uploads', direct],
  ['vector_stores', direct],
  ['videos', direct]
])
const ours = /\/(?:chat\/completions|completions|embeddings|models|responses)$/
const anthropics = /^(?:\/v1)*(\/messages(?:\/count_tokens)?)$/
const offered =
  'This service has POST /v1/chat/completions, POST /v1/responses, POST /v1/completions, POST /v1/embeddings, POST /v1/messages, GET /v1/models and GET /v1/models/{model}.'

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
  if (end !== null) return `Use /v1${end[0]}: the base URL of the client must end in /v1, once.`
  return others.get(/^(?:\/v1)*\/([^/]+)/.exec(trimmed)?.[1] ?? '') ?? offered
}
