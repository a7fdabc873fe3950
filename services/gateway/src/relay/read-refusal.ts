import { concealedJson, type Hidden } from './conceal.ts'

/** Maximum bytes that are read, because the reason is at the beginning. */
const maxBytes = 8192
const maxText = 500

const entities: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  '#39': "'",
  nbsp: ' '
}

/**
 * Reads the message of a text or HTML body as one line. For HTML, this is the title of the page, or its text without a
 * title.
 *
 * @returns null for other bodies, such as cut JSON or compressed bytes
 */
function readableText(body: Buffer): string | null {
  const text = body.toString('utf8', 0, maxBytes)
  // biome-ignore lint/suspicious/noControlCharactersInRegex: only binary data has them
  if (/^\s*[[{"]|[\0-\x08\x0e-\x1f\x7f]|\ufffd./.test(text)) return null
  const words = /^\s*</.test(text) ? wordsOf(text) : text
  return words.replace(/\s+/g, ' ').trim().slice(0, maxText) || null
}

/** Reads the text of HTML in one pass. A regular expression for tags would take quadratic time. */
function wordsOf(html: string): string {
  let words = ''
  let hidden: string | null = null
  for (const piece of html.split('<').slice(1)) {
    const end = piece.indexOf('>')
    const tag = /^\/?[a-z]+/i.exec(piece)?.[0].toLowerCase()
    const text = end < 0 ? '' : piece.slice(end + 1)
    if (hidden !== null && tag !== `/${hidden}`) continue
    hidden = tag === 'script' || tag === 'style' ? tag : null
    if (tag === 'title' && text.trim() !== '') return decoded(text)
    if (hidden === null) words += ` ${text}`
  }
  return decoded(words)
}

function decoded(text: string): string {
  return text.replace(/&(#?\w{1,8});/g, (whole, name: string) => entities[name.toLowerCase()] ?? whole)
}

/** Why a provider refused a request. A member is null if the answer does not have it. */
export interface RefusalReason {
  readonly message: string | null
  readonly type: string | null
  readonly code: string | null
  /** The reason that Google adds to its code. */
  readonly reason: string | null
  /** The faulty member of the request. */
  readonly param: string | null
  /** All members of an error in OpenAI's shape; otherwise empty. */
  readonly members: Readonly<Record<string, unknown>>
}

export const unexplained: RefusalReason = {
  message: null,
  type: null,
  code: null,
  reason: null,
  param: null,
  members: {}
}

/** Maximum characters of a message that reach the client. */
const maxMessage = 16_384
const maxItems = 8
const maxDepth = 4
/** Matches codes and types, but not sentences or URLs. */
const identifier = /^[\w .-]{1,100}$/

/**
 * Reads a refusal. Providers use these shapes:
 *
 * - OpenAI, vLLM ≥ 0.10, llama.cpp, Ollama's `/v1`, Groq, DeepSeek: `{ error: { message, type, param, code } }`
 * - Azure: `{ error: { code, message, innererror } }`; its API Management: `{ statusCode, message }`
 * - Anthropic: `{ type: 'error', error: { type, message } }`
 * - Gemini: `[{ error: { code: 400, message, status, details } }]` (google-gemini/gemini-cli#12823)
 * - vLLM < 0.10: `{ object: 'error', message, type, param, code: 400 }`
 * - FastAPI: `{ detail: text | [{ loc, msg, type }] }`; Mistral: the latter as `message`
 * - Ollama, xAI, text-generation-inference: `{ error: text, code | error_type }`
 * - Cohere, AWS: `{ message }`; RFC 9457: `{ title, detail }`
 * - text or HTML from a proxy in front of the provider
 */
export function readRefusal(body: Buffer): RefusalReason {
  let parsed: unknown
  try {
    parsed = JSON.parse(body.toString())
  } catch {
    const text = readableText(body)
    return text === null ? unexplained : { ...unexplained, message: bounded(text) }
  }
  const outer = Array.isArray(parsed) ? parsed[0] : parsed
  if (!isObject(outer)) return unexplained
  const inner = isObject(outer.error) ? outer.error : outer
  const message = [inner.message, inner.Message, outer.error, inner.detail, inner.errors, inner.title]
    .map((value) => textOf(value, 0))
    .find((text) => text !== null)
  return {
    message: message === undefined ? null : bounded(message),
    type: firstName(inner.type, inner.error_type),
    code: firstName(inner.code, inner.status, numberAsText(inner.code)),
    reason: reasonOf(inner.details),
    param: paramOf(inner),
    members: inner === outer.error ? inner : {}
  }
}

/**
 * Writes the body that explains a refusal to the client. It has the provider's message, and all members of an error in
 * OpenAI's shape.
 *
 * @param hidden what it must not have. If it cannot be written without, the client gets a general error
 */
export function describeRefusal(
  { message, type, code, param, members }: RefusalReason,
  hidden: Hidden
): { code: string; body: string } {
  const reported = {
    message: message ?? defaultError.message,
    type: type ?? defaultError.type,
    code: code ?? defaultError.code
  }
  const body = concealedJson({ error: { ...members, ...reported, ...(param !== null && { param }) } }, hidden)
  if (body !== null) return { code: reported.code, body }
  return { code: defaultError.code, body: JSON.stringify({ error: defaultError }) }
}

const defaultError = {
  message: 'The upstream provider refused the request.',
  type: 'invalid_request_error',
  code: 'invalid_request'
}

/** Finds the message in a value: a text, the texts of a list, or the member of an object that holds a message. */
function textOf(value: unknown, depth: number): string | null {
  if (typeof value === 'string') return value.trim() === '' ? null : value.trim()
  if (depth > maxDepth) return null
  if (Array.isArray(value)) {
    const texts = value.slice(0, maxItems).map((item) => textOf(item, depth + 1))
    return texts.filter((text) => text !== null).join('; ') || null
  }
  if (!isObject(value)) return null
  const { message, detail, msg, error } = value
  for (const member of [msg, message, detail, error]) {
    const text = textOf(member, depth + 1)
    const path = pathOf(value.loc)
    if (text !== null) return path === null ? text : `${path}: ${text}`
  }
  return null
}

function paramOf({ param, detail, message, details }: Record<string, unknown>): string | null {
  if (typeof param === 'string') return param.slice(0, maxMessage)
  const wrapped = isObject(message) ? message.detail : null
  for (const list of [detail, wrapped]) {
    if (Array.isArray(list) && isObject(list[0])) return pathOf(list[0].loc)
  }
  // google.rpc.BadRequest
  const violations = Array.isArray(details)
    ? details.find((item) => isObject(item) && Array.isArray(item.fieldViolations))
    : null
  const field = violations?.fieldViolations[0]?.field
  return typeof field === 'string' && field !== '' ? field.slice(0, maxMessage) : null
}

/** The reason of a `google.rpc.ErrorInfo`. */
function reasonOf(details: unknown): string | null {
  if (!Array.isArray(details)) return null
  return firstName(...details.slice(0, maxItems).map((item) => (isObject(item) ? item.reason : null)))
}

/** FastAPI's `loc`, without the `body` at its beginning: `messages.0.role`. */
function pathOf(loc: unknown): string | null {
  if (!Array.isArray(loc)) return null
  const steps = loc.slice(loc[0] === 'body' ? 1 : 0, 20)
  return steps.length > 0 && steps.every((step) => typeof step === 'string' || typeof step === 'number')
    ? bounded(steps.join('.'))
    : null
}

function firstName(...values: unknown[]): string | null {
  for (const value of values) if (typeof value === 'string' && identifier.test(value)) return value
  return null
}

/** A numeric code, unless it is an HTTP status. */
function numberAsText(code: unknown): string | null {
  return typeof code === 'number' && Number.isInteger(code) && (code < 100 || code > 599) ? String(code) : null
}

function bounded(text: string): string {
  return text.length > maxMessage ? `${text.slice(0, maxMessage - 1)}…` : text
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
