import type { SiteModel } from './site-facts.ts'

/** The same call in each language, ready to run once the key is replaced. */
export interface Snippets {
  readonly curl: string
  readonly python: string
  readonly node: string
}

const placeholder = 'YOUR_API_KEY'

/** What each kind of call differs in. */
interface CallForm {
  readonly path: string
  /** Members besides the model. */
  readonly body: Readonly<Record<string, unknown>>
  /** The function of the OpenAI SDK, which has the same name in both languages. */
  readonly method: string
  /** What the example prints. */
  readonly python: string
  readonly node: string
}

const forms = {
  chat: {
    path: '/v1/chat/completions',
    body: { messages: [{ role: 'user', content: 'Hello!' }] },
    method: 'chat.completions.create',
    python: 'answer.choices[0].message.content',
    node: 'answer.choices[0].message.content'
  },
  completion: {
    path: '/v1/completions',
    body: { prompt: 'Once upon a time', max_tokens: 64 },
    method: 'completions.create',
    python: 'answer.choices[0].text',
    node: 'answer.choices[0].text'
  },
  embedding: {
    path: '/v1/embeddings',
    body: { input: 'Hello!' },
    method: 'embeddings.create',
    python: 'len(answer.data[0].embedding)',
    node: 'answer.data[0].embedding.length'
  },
  moderation: {
    path: '/v1/moderations',
    body: { input: 'Hello!' },
    method: 'moderations.create',
    python: 'answer.results[0].flagged',
    node: 'answer.results[0].flagged'
  }
} as const satisfies Record<SiteModel['kind'], CallForm>

/** Whether a model has Anthropic's API, and not OpenAI's chat. */
export const speaksOnlyMessages = ({ kind, endpoints }: Pick<SiteModel, 'kind' | 'endpoints'>): boolean =>
  kind === 'chat' && endpoints?.includes('/v1/messages') === true && !endpoints.includes(forms.chat.path)

/**
 * Writes a first call of a model, by the OpenAI SDK, or by Anthropic's for a model that only Anthropic's API has.
 *
 * @param gatewayUrl the gateway's public origin
 */
export function writeSnippets({ id, kind, endpoints }: SiteModel, gatewayUrl: string): Snippets {
  if (speaksOnlyMessages({ kind, endpoints })) return writeMessages(id, gatewayUrl)
  const { path, body, method, python, node } = forms[kind]
  const members = Object.entries(body)
  return {
    curl: writeCurl(`${gatewayUrl}${path}`, { model: id, ...body }),
    python: [
      'from openai import OpenAI',
      '',
      'client = OpenAI(',
      `    base_url="${gatewayUrl}/v1",`,
      `    api_key="${placeholder}",`,
      ')',
      `answer = client.${method}(`,
      `    model=${JSON.stringify(id)},`,
      ...members.map(([name, value]) => `    ${name}=${inOneLine(value)},`),
      ')',
      `print(${python})`
    ].join('\n'),
    node: [
      "import OpenAI from 'openai'",
      '',
      'const client = new OpenAI({',
      `  baseURL: '${gatewayUrl}/v1',`,
      `  apiKey: '${placeholder}'`,
      '})',
      `const answer = await client.${method}({`,
      [`  model: ${JSON.stringify(id)}`, ...members.map(([name, value]) => `  ${name}: ${inOneLine(value)}`)].join(
        ',\n'
      ),
      '})',
      `console.log(${node})`
    ].join('\n')
  }
}

function writeMessages(id: string, gatewayUrl: string): Snippets {
  const messages = [{ role: 'user', content: 'Hello!' }]
  const model = JSON.stringify(id)
  return {
    curl: writeCurl(`${gatewayUrl}/v1/messages`, { model: id, max_tokens: 1024, messages }, [
      'anthropic-version: 2023-06-01'
    ]),
    python: [
      'from anthropic import Anthropic',
      '',
      'client = Anthropic(',
      `    base_url="${gatewayUrl}",`,
      `    api_key="${placeholder}",`,
      ')',
      'answer = client.messages.create(',
      `    model=${model},`,
      '    max_tokens=1024,',
      `    messages=${inOneLine(messages)},`,
      ')',
      'print(answer.content[0].text)'
    ].join('\n'),
    node: [
      "import Anthropic from '@anthropic-ai/sdk'",
      '',
      'const client = new Anthropic({',
      `  baseURL: '${gatewayUrl}',`,
      `  apiKey: '${placeholder}'`,
      '})',
      'const answer = await client.messages.create({',
      `  model: ${model},`,
      '  max_tokens: 1024,',
      `  messages: ${inOneLine(messages)}`,
      '})',
      'console.log(answer.content[0].text)'
    ].join('\n')
  }
}

function writeCurl(url: string, body: Readonly<Record<string, unknown>>, headers: readonly string[] = []): string {
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
const quoteForShell = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`
