/**
 * Parses model names. A name is a plain model name, then any number of directives after `+`, in any order, each at most
 * once:
 *
 *     gpt-4o-mini+status=503        sandbox-small+first-byte-ms=2000+reset-after=3
 *
 * | directive | effect |
 * |---|---|
 * | `status=<400–599>` | answers with this status and an error in the API's shape; 429 and 503 carry `Retry-After: 1` |
 * | `retry-after=<s>` | the seconds of `Retry-After`, on any `status` |
 * | `hang` | accepts the request and never answers |
 * | `first-byte-ms=<ms>` | waits before the first byte of the answer |
 * | `reset-after=<n>` | resets the connection after n stream events; 0: before the first byte. Without a stream, this and the next two act in the middle of the body |
 * | `end-after=<n>` | ends the answer normally after n stream events, but without `[DONE]` |
 * | `stall-after=<n>` | writes n stream events, then nothing, and leaves the connection open |
 * | `garbage` | a body that is not JSON; in a stream, a second event that is not JSON, then the end |
 * | `no-usage` | omits `usage`, even if the request asks for it |
 * | `pace-ms=<ms>` | the delay between stream events; 0: as fast as the reader takes them |
 * | `flood-mb=<n>` | answers with a text of n million bytes, as fast as the reader takes it, ignoring the request's limits |
 * | `cached-tokens=<n>` | reports up to n prompt tokens as cached |
 * | `reasoning-tokens=<n>` | produces n tokens of hidden reasoning before the answer |
 * | `think-ms=<ms>` | waits between a stream's head, when the reasoning is complete, and its first event |
 * | `bills-aborted` | produces a stream to its end even if the client leaves |
 * | `odd-usage=<kind>` | reports invalid completion tokens: `missing`, `null`, `text`, `fraction`, `negative` or `zero`; `none` sends `usage: {}`, `outside` counts the reasoning only in the total |
 * | `odd-answer=<kind>` | answers against the description of the API: see `odd-answer.ts` |
 * | `odd-count=<kind>` | counts a prompt wrongly: `hang` and `drip` never end, `reset`, `error` and `html` have no number, the others a wrong one |
 * | `report-tokens=<n>` | reports n completion tokens instead of the produced number |
 * | `error-after=<n>` | sends n stream events, then an error event, then ends the body. Without a stream: status 500 |
 * | `fail-after=<n>` | like `error-after`, but a response reports the failure with its status `failed` |
 * | `cache-write-tokens=<n>`, `cache-write-long-tokens=<n>` | reports up to n further prompt tokens as written to the cache, for its short or its long lifetime |
 * | `audio-tokens=<n>`, `image-tokens=<n>` | reports up to n prompt tokens as audio or images |
 * | `audio-output-tokens=<n>`, `image-output-tokens=<n>` | produces n tokens of audio or images before the answer |
 * | `searches=<n>` | calls the provider's web search n times, if the request has that tool |
 * | `tier=<name>` | serves the request with this service tier, whatever it asks for |
 * | `every=<n>` | applies the other directives to every n-th request with this name, starting with the first |
 *
 * A marker in the request adds directives to those of the name, such as `[sandbox+status=500]`.
 */
const directives = {
  status: { min: 400, max: 599 },
  'retry-after': { min: 0, max: 86_400 },
  hang: 'flag',
  'first-byte-ms': { min: 0, max: 3_600_000 },
  'reset-after': { min: 0, max: 1_000_000_000 },
  'end-after': { min: 0, max: 1_000_000_000 },
  'stall-after': { min: 0, max: 1_000_000_000 },
  garbage: 'flag',
  'no-usage': 'flag',
  'pace-ms': { min: 0, max: 3_600_000 },
  'flood-mb': { min: 1, max: 10_000 },
  'cached-tokens': { min: 0, max: 1_000_000_000 },
  'reasoning-tokens': { min: 0, max: 1_000_000 },
  'think-ms': { min: 0, max: 3_600_000 },
  'bills-aborted': 'flag',
  'odd-usage': ['missing', 'null', 'text', 'fraction', 'negative', 'zero', 'none', 'outside'],
  'odd-answer': [
    'lower-report',
    'filtered',
    'refused',
    'other-name',
    'searches-missing',
    'searches-null',
    'searches-text',
    'searches-negative',
    'searches-zero',
    'searches-one'
  ],
  'odd-count': ['hang', 'drip', 'reset', 'error', 'html', 'text', 'fraction', 'negative', 'zero', 'one'],
  'report-tokens': { min: 0, max: 1_000_000_000 },
  'error-after': { min: 0, max: 1_000_000_000 },
  'fail-after': { min: 0, max: 1_000_000_000 },
  'cache-write-tokens': { min: 0, max: 1_000_000_000 },
  'cache-write-long-tokens': { min: 0, max: 1_000_000_000 },
  'audio-tokens': { min: 0, max: 1_000_000_000 },
  'image-tokens': { min: 0, max: 1_000_000_000 },
  'audio-output-tokens': { min: 0, max: 1_000_000 },
  'image-output-tokens': { min: 0, max: 1_000_000 },
  searches: { min: 0, max: 100 },
  tier: ['default', 'flex', 'priority', 'scale', 'ultrafast'],
  every: { min: 1, max: 1_000_000 }
} as const satisfies Record<string, 'flag' | readonly string[] | { min: number; max: number }>

type Directive = keyof typeof directives

/** The directives of a model name: a flag is true, a number is its value, an absent directive is undefined. */
export type Behaviour = {
  readonly [name in Directive]?: (typeof directives)[name] extends 'flag'
    ? true
    : (typeof directives)[name] extends readonly (infer Word)[]
      ? Word
      : number
}

export type ParsedModelName =
  | { readonly valid: true; readonly model: string; readonly behaviour: Behaviour }
  | { readonly valid: false; readonly problem: string }

/** Directives that decide how an answer ends. A name can have only one of them. */
const endings: readonly Directive[] = [
  'status',
  'hang',
  'garbage',
  'flood-mb',
  'reset-after',
  'end-after',
  'stall-after',
  'error-after',
  'fail-after'
]

/** Parses a model name. Reports every invalid directive, because a test whose directive is ignored proves nothing. */
export function parseModelName(name: string): ParsedModelName {
  const [model = '', ...parts] = name.split('+')
  if (model === '') return { valid: false, problem: `the model name "${name}" is empty before its directives` }
  const parsed = parseDirectives(parts, {})
  return parsed.valid ? { ...parsed, model } : parsed
}

export type ParsedDirectives =
  | { readonly valid: true; readonly behaviour: Behaviour }
  | { readonly valid: false; readonly problem: string }

/** Parses directives. They replace equal ones of `base`. */
export function parseDirectives(parts: readonly string[], base: Behaviour): ParsedDirectives {
  const ownValues: { [name in Directive]?: number | string | true } = {}
  for (const part of parts) {
    const equals = part.indexOf('=')
    const directive = equals < 0 ? part : part.slice(0, equals)
    if (!isDirective(directive)) return { valid: false, problem: `"${part}" is not a directive of the sandbox` }
    if (ownValues[directive] !== undefined) return { valid: false, problem: `"${directive}" is given twice` }
    const value = readValue(directive, equals < 0 ? null : part.slice(equals + 1))
    if (value === null) return { valid: false, problem: `"${part}" should be ${describe(directive)}` }
    ownValues[directive] = value
  }
  const behaviour = { ...base, ...ownValues } as Behaviour
  const ends = endings.filter((directive) => behaviour[directive] !== undefined)
  if (ends.length > 1) return { valid: false, problem: `${ends.join(' and ')} cannot be combined` }
  return { valid: true, behaviour }
}

function isWords(kind: unknown): kind is readonly string[] {
  return Array.isArray(kind)
}

function isDirective(name: string): name is Directive {
  return Object.hasOwn(directives, name)
}

function readValue(directive: Directive, text: string | null): number | string | true | null {
  const kind: 'flag' | readonly string[] | { min: number; max: number } = directives[directive]
  if (kind === 'flag') return text === null ? true : null
  if (isWords(kind)) return text !== null && kind.includes(text) ? text : null
  if (text === null || !/^\d{1,10}$/.test(text)) return null
  const value = Number(text)
  return value >= kind.min && value <= kind.max ? value : null
}

function describe(directive: Directive): string {
  const kind: 'flag' | readonly string[] | { min: number; max: number } = directives[directive]
  if (isWords(kind)) return `"${directive}=" and one of ${kind.join(', ')}`
  return kind === 'flag' ? `"${directive}" alone` : `"${directive}=<whole number from ${kind.min} to ${kind.max}>"`
}
