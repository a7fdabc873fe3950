import { exampleModel, ownExample } from '@tollgate/contracts/openapi/document.ts'
import {
  firstCalls,
  inOneLine,
  placeholder,
  quoteForShell,
  type SdkCall,
  type SdkForm,
  type Snippets,
  writeSdkCall
} from '../snippets.ts'
import { writeJson } from './example-json.ts'
import type { ReferencedOperation } from './reference.ts'
import { exampleIds, exampleOf } from './schema-example.ts'

const managementKey = 'YOUR_MANAGEMENT_KEY'
const session = 'svc_session=YOUR_SESSION'

const openai = (method: string, printed: string, subject?: string): SdkForm => ({
  ...{ sdk: 'openai', method, prints: { python: printed, node: printed } },
  ...(subject !== undefined && { subject })
})
const { response } = exampleIds

/** Operations that have a function in a provider's SDK. */
const sdkForms: Readonly<Record<string, SdkForm>> = {
  createChatCompletion: firstCalls.chat.form,
  createCompletion: firstCalls.completion.form,
  createEmbedding: firstCalls.embedding.form,
  createModeration: firstCalls.moderation.form,
  createMessage: firstCalls.messages.form,
  countMessageTokens: { ...openai('messages.countTokens', 'answer.input_tokens'), sdk: 'anthropic' },
  createResponse: openai('responses.create', 'answer.output_text'),
  compactConversation: openai('responses.compact', 'answer.id'),
  countInputTokens: openai('responses.inputTokens.count', 'answer.input_tokens'),
  getResponse: openai('responses.retrieve', 'answer.output_text', response),
  listInputItems: openai('responses.inputItems.list', 'answer.data', response),
  listModels: openai('models.list', 'answer.data'),
  getModel: openai('models.retrieve', 'answer.id', exampleModel)
}

/** The request of an operation in each language, ready to run once the key is replaced. */
export function writeCallSnippets(one: ReferencedOperation): Snippets {
  const call = describeCall(one)
  const form = sdkForms[one.operation.operationId]
  const { body } = call
  const others =
    form === undefined
      ? { python: writePython(call), node: writeNode(call) }
      : writeSdkCall({ ...form, params: (body ?? {}) as SdkCall['params'] }, one.api.origin)
  return { curl: writeCurl(call), ...others }
}

/** A request over HTTP. */
interface Call {
  readonly method: string
  readonly url: string
  readonly headers: ReadonlyArray<readonly [name: string, value: string]>
  /** Whether it has the cookie of a session. */
  readonly hasSession: boolean
  /** Undefined for none. */
  readonly body: unknown
  readonly answersJson: boolean
}

const exampleHeaders: Readonly<Record<string, string>> = { 'anthropic-version': '2023-06-01' }

function describeCall({ api, method, path, operation }: ReferencedOperation): Call {
  const { parameters = [], requestBody, security, responses } = operation
  const schemes = new Set(security.flatMap((one) => Object.keys(one)))
  const secret = schemes.has('apiKey') ? placeholder : schemes.has('managementKey') ? managementKey : null
  const needed = parameters.filter(({ in: place, required }) => place === 'header' && required === true)
  const content = requestBody?.content['application/json']
  const body =
    content === undefined
      ? undefined
      : (ownExample(content) ?? exampleOf(content.schema ?? {}, api.document.components.schemas))
  const hasBody = body !== undefined && JSON.stringify(body) !== '{}'
  return {
    method,
    url: api.origin + path.replaceAll(/\{(\w+)\}/g, (_, name: string) => exampleOfPath(path, name)),
    headers: [
      ...(secret === null ? [] : [['Authorization', `Bearer ${secret}`] as const]),
      ...needed.map(({ name }) => [name, exampleHeaders[name] ?? `<${name}>`] as const),
      ...(hasBody ? [['Content-Type', 'application/json'] as const] : [])
    ],
    hasSession: secret === null && schemes.has('session'),
    body: hasBody ? body : undefined,
    answersJson: Object.values(responses).some(
      ({ content = {} }) => 'application/json' in content && Object.keys(content).length > 0
    )
  }
}

/** A value for a parameter of a path. */
function exampleOfPath(path: string, name: string): string {
  if (name === 'model') return exampleModel
  if (name === 'provider') return 'github'
  if (path.startsWith('/api/keys/')) return exampleIds.key
  if (path.startsWith('/api/requests/')) return exampleIds.request
  return path.startsWith('/v1/responses/') ? response : exampleIds.uuid
}

function writeCurl({ method, url, headers, hasSession, body }: Call): string {
  const isDefault = method === (body === undefined ? 'GET' : 'POST')
  return [
    `curl ${isDefault ? '' : `-X ${method} `}${url}`,
    ...(hasSession ? [`-b "${session}"`] : []),
    ...headers.map(([name, value]) => `-H "${name}: ${value}"`),
    ...(body === undefined ? [] : [`-d ${quoteForShell(writeJson(body, '  '))}`])
  ].join(' \\\n  ')
}

function writePython({ method, url, headers, hasSession, body, answersJson }: Call): string {
  const sent = headers.filter(([name]) => name !== 'Content-Type')
  const [cookie, value] = session.split('=')
  const lines = [
    `    "${url}",`,
    ...(sent.length === 0 ? [] : [`    headers={${sent.map(([name, one]) => `"${name}": "${one}"`).join(', ')}},`]),
    ...(hasSession ? [`    cookies={"${cookie}": "${value}"},`] : []),
    ...(body === undefined ? [] : [`    json=${pythonOf(body)},`])
  ]
  return [
    'import requests',
    '',
    `answer = requests.${method.toLowerCase()}(`,
    ...lines,
    ')',
    `print(answer.${answersJson ? 'json()' : 'text'})`
  ].join('\n')
}

function writeNode({ method, url, headers, hasSession, body, answersJson }: Call): string {
  const sent = hasSession ? [...headers, ['Cookie', session] as const] : headers
  const named = sent.map(([name, value]) => `    ${/^\w+$/.test(name) ? name : `'${name}'`}: '${value}'`)
  const options = [
    ...(method === 'GET' ? [] : [`  method: '${method}'`]),
    ...(named.length === 0 ? [] : [`  headers: {\n${named.join(',\n')}\n  }`]),
    ...(body === undefined ? [] : [`  body: JSON.stringify(${writeJson(body, '  ')})`])
  ]
  const argument = options.length === 0 ? '' : `, {\n${options.join(',\n')}\n}`
  return `const answer = await fetch('${url}'${argument})\nconsole.log(await answer.${answersJson ? 'json' : 'text'}())`
}

/** A value as a literal of Python. */
function pythonOf(value: unknown): string {
  if (value === null) return 'None'
  if (typeof value === 'boolean') return value ? 'True' : 'False'
  if (Array.isArray(value)) return `[${value.map(pythonOf).join(', ')}]`
  if (typeof value !== 'object') return inOneLine(value)
  return `{${Object.entries(value)
    .map(([name, one]) => `${JSON.stringify(name)}: ${pythonOf(one)}`)
    .join(', ')}}`
}
