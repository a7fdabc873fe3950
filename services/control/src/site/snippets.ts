import type { SiteModel } from './site-facts.ts'

/** The same call in each language, ready to run once the key is replaced. */
export interface Snippets {
  readonly curl: string
  readonly python: string
  readonly node: string
}

/** Stands for the key in examples. */
export const placeholder = 'YOUR_API_KEY'

/** A call of a function of a provider's SDK. */
export interface SdkCall {
  readonly sdk: 'openai' | 'anthropic'
  /** Its name; in Python with underscores instead of capitals. */
  readonly method: string
  /** A first argument without a name, such as an id. */
  readonly subject?: string
  readonly params: Readonly<Record<string, unknown>>
  /** What the example prints. */
  readonly prints: { readonly python: string; readonly node: string }
}

/** The function alone. */
export type SdkForm = Omit<SdkCall, 'params'>

interface FirstCall {
  readonly path: string
  /** Members besides the model. */
  readonly body: Readonly<Record<string, unknown>>
  readonly headers: readonly string[]
  readonly form: SdkForm
}

const inBoth = (printed: string) => ({ python: printed, node: printed })
const messages = [{ role: 'user', content: 'Hello!' }]

/** What the first call of each kind of model differs in, and that of Anthropic's API. */
export const firstCalls = {
  chat: {
    path: '/v1/chat/completions',
    body: { messages },
    headers: [],
    form: { sdk: 'openai', method: 'chat.completions.create', prints: inBoth('answer.choices[0].message.content') }
  },
  completion: {
    path: '/v1/completions',
    body: { prompt: 'Once upon a time', max_tokens: 64 },
    headers: [],
    form: { sdk: 'openai', method: 'completions.create', prints: inBoth('answer.choices[0].text') }
  },
  embedding: {
    path: '/v1/embeddings',
    body: { input: 'Hello!' },
    headers: [],
    form: {
      sdk: 'openai',
      method: 'embeddings.create',
      prints: { python: 'len(answer.data[0].embedding)', node: 'answer.data[0].embedding.length' }
    }
  },
  moderation: {
    path: '/v1/moderations',
    body: { input: 'Hello!' },
    headers: [],
    form: { sdk: 'openai', method: 'moderations.create', prints: inBoth('answer.results[0].flagged') }
  },
  messages: {
    path: '/v1/messages',
    body: { max_tokens: 1024, messages },
    headers: ['anthropic-version: 2023-06-01'],
    form: { sdk: 'anthropic', method: 'messages.create', prints: inBoth('answer.content[0].text') }
  }
} as const satisfies Record<SiteModel['kind'] | 'messages', FirstCall>

/** Whether a model has Anthropic's API, and not OpenAI's chat. */
export const speaksOnlyMessages = ({ kind, endpoints }: Pick<SiteModel, 'kind' | 'endpoints'>): boolean =>
  kind === 'chat' && endpoints?.includes('/v1/messages') === true && !endpoints.includes(firstCalls.chat.path)

/**
 * Writes a first call of a model, by the OpenAI SDK, or by Anthropic's for a model that only Anthropic's API has.
 *
 * @param gatewayUrl the gateway's public origin
 */
export function writeSnippets({ id, kind, endpoints }: SiteModel, gatewayUrl: string): Snippets {
  const { path, body, headers, form } = firstCalls[speaksOnlyMessages({ kind, endpoints }) ? 'messages' : kind]
  const params = { model: id, ...body }
  return {
    curl: writeCurl(`${gatewayUrl}${path}`, params, headers),
    ...writeSdkCall({ ...form, params }, gatewayUrl)
  }
}

const sdks = {
  openai: { python: 'openai', node: 'openai', name: 'OpenAI', base: '/v1' },
  anthropic: { python: 'anthropic', node: '@anthropic-ai/sdk', name: 'Anthropic', base: '' }
} as const

/** Writes a call with the SDKs of Python and Node. */
export function writeSdkCall(
  { sdk, method, subject, params, prints }: SdkCall,
  gatewayUrl: string
): Pick<Snippets, 'python' | 'node'> {
  const { python, node, name, base } = sdks[sdk]
  const first = subject === undefined ? [] : [JSON.stringify(subject)]
  const members = Object.entries(params)
  const snakeMethod = method.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
  const inPython = [...first, ...members.map(([one, value]) => `${one}=${inOneLine(value)}`)]
  const inNode = `{\n${members.map(([one, value]) => `  ${one}: ${inOneLine(value)}`).join(',\n')}\n}`
  return {
    python: [
      `from ${python} import ${name}`,
      '',
      `client = ${name}(`,
      `    base_url="${gatewayUrl}${base}",`,
      `    api_key="${placeholder}",`,
      ')',
      ...(members.length === 0
        ? [`answer = client.${snakeMethod}(${inPython.join(', ')})`]
        : [`answer = client.${snakeMethod}(`, ...inPython.map((argument) => `    ${argument},`), ')']),
      `print(${prints.python})`
    ].join('\n'),
    node: [
      `import ${name} from '${node}'`,
      '',
      `const client = new ${name}({`,
      `  baseURL: '${gatewayUrl}${base}',`,
      `  apiKey: '${placeholder}'`,
      '})',
      `const answer = await client.${method}(${[...first, ...(members.length === 0 ? [] : [inNode])].join(', ')})`,
      `console.log(${prints.node})`
    ].join('\n')
  }
}

function writeCurl(url: string, body: Readonly<Record<string, unknown>>, headers: readonly string[]): string {
  const all = [`Authorization: Bearer ${placeholder}`, ...headers, 'Content-Type: application/json']
  const members = Object.entries(body).map(([name, value]) => `    "${name}": ${inOneLine(value)}`)
  return [
    `curl ${url} \\`,
    ...all.map((header) => `  -H "${header}" \\`),
    `  -d ${quoteForShell(`{\n${members.join(',\n')}\n  }`)}`
  ].join('\n')
}

/** JSON with spaces. It is a valid literal of Python and JavaScript, too, as the examples have no `true` or `null`. */
export const inOneLine = (value: unknown): string =>
  typeof value === 'string'
    ? JSON.stringify(value)
    : JSON.stringify(value, null, 1).replaceAll(/\n\s*/g, ' ').replaceAll('[ ', '[').replaceAll(' ]', ']')

/** Quotes a text for a shell. In single quotes, it treats only the single quote itself specially. */
export const quoteForShell = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`
