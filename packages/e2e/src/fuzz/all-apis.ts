import { type ErrorCode, errorTable } from '@tollgate/contracts/errors/table.ts'

/** Statuses of upstream refusals. Their codes come from the upstream. */
const refusalStatuses = new Set([400, 404, 413, 422])

/** An upstreams file with `test`, which speaks every API. @param timeouts `timeouts_ms`, as YAML */
export const speaksAll = (url: string, timeouts = '{}'): string =>
  `upstreams: { test: { base_url: '${url}/v1', credential_variable: TEST_CREDENTIAL, timeouts_ms: ${timeouts}, speaks: [chat, completions, embeddings, responses, messages]} }`

const usage = '"usage":{"input_tokens":3,"output_tokens":2}'
const response = `{"object":"response","id":"resp_1","status":"completed","output":[],${usage}}`
const message = `{"type":"message","role":"assistant","content":[],"stop_reason":"end_turn",${usage}}`
const list = '{"object":"it","choices":[{}],"data":[{}],"usage":{"prompt_tokens":1}}'

/** The shortest answers of an upstream. */
const answers: ReadonlyArray<readonly [path: RegExp, whole: string, stream: string]> = [
  [/\/(count_tokens|input_tokens)$/, '{"object":"response.input_tokens","input_tokens":3}', ''],
  [/\/responses$/, response, `data: {"type":"response.completed","response":${response}}\n\n`],
  [
    /\/messages$/,
    message,
    `data: {"type":"message_start","message":${message}}\n\n` +
      `data: {"type":"message_delta","delta":{"stop_reason":"end_turn"},${usage}}\n\ndata: {"type":"message_stop"}\n\n`
  ],
  [/./, list, `data: ${list}\n\ndata: [DONE]\n\n`]
]

/** A valid answer to a request. @param path with or without a query */
export function shortAnswer(path: string, isStream: boolean): string {
  const { pathname } = new URL(path, 'http://x')
  const [, whole, stream] = answers.find(([pattern]) => pattern.test(pathname))!
  return isStream ? stream : whole
}

/** Whether a text is one of the answers. */
export const isShortAnswer = (text: string): boolean =>
  answers.some(([, whole, stream]) => text === whole || text === stream)

/** Headers that an endpoint needs besides the common ones. */
export const headersOf = (path: string): Record<string, string> =>
  path.includes('/messages') ? { 'anthropic-version': '2023-06-01' } : {}

interface FailureBody {
  type?: unknown
  error: Record<'message' | 'type' | 'code', unknown> & { details?: Record<string, unknown> }
}

/** @throws Error unless a failure has the error shape of its API, and its status and code match the table */
export function checkFailure(status: number, text: string): void {
  const { type, error } = JSON.parse(text) as FailureBody
  // Anthropic's API has the code in the details. Its refusals have none.
  const code = error.code ?? error.details?.error_code
  const isRefusal = refusalStatuses.has(status)
  const texts = { message: error.message, type: error.type, ...(!(isRefusal && type === 'error') && { code }) }
  for (const [name, value] of Object.entries(texts)) {
    if (typeof value !== 'string') throw new Error(`${name} is not text: ${text}`)
  }
  const row = Object.hasOwn(errorTable, String(code)) ? errorTable[code as ErrorCode] : undefined
  if (row?.[0] !== status && !isRefusal) throw new Error(`${status} with ${text}`)
}
