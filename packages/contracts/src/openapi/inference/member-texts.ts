import { asSchema, type JsonSchema } from '../document.ts'

type Texts = Readonly<Record<string, string>>

const limit = 'The most output tokens, including reasoning. Without it, the default of the model counts.'
const refused = 'Refused unless it is null: it has no price or no bound.'

/** Members that mean the same in every request. */
const ofRequests: Texts = {
  model: 'The name of the model. `GET /v1/models` lists those that the key may use.',
  stream: 'Whether the answer is a stream of server-sent events.',
  stop: 'Texts that end the answer when the model writes them.',
  n: 'How many answers. You pay for the output of each.',
  best_of: 'How many answers the provider compares. You pay for the output of each.',
  tools: 'Functions that the model may call, and that your code runs.',
  tool_choice: 'Whether the model must call a tool, may, or must not; or which one.',
  functions: 'The older form of `tools`.',
  function_call: 'The older form of `tool_choice`.',
  response_format: 'Text, JSON, or JSON of a schema.',
  stream_options: 'What a stream has besides the answer.',
  usage: 'What the `usage` of the answer has besides tokens.',
  max_tokens: limit,
  max_completion_tokens: limit,
  max_output_tokens: limit,
  prompt: 'The text that the model continues.',
  input: 'The text, or several.',
  messages: 'The conversation, the oldest message first.',
  metadata: 'Your own name for the person who asks. It must not say who that is.',
  context_management: refused,
  inference_geo: refused,
  mcp_servers: refused,
  container: refused,
  compaction: refused,
  fallbacks: refused,
  fallback_credit_token: refused,
  billing_policy: refused,
  diagnostics: refused,
  thread: refused,
  background: refused,
  conversation: 'Never found, because the gateway offers none.'
}

/** Members that mean something else, or something more, in a request. */
const ofSchemas: Readonly<Record<string, Texts>> = {
  ChatRequest: { max_tokens: 'The older name of `max_completion_tokens`.' },
  MessageRequest: {
    system: 'What the model should know and do in the whole conversation.',
    stop_sequences: 'Texts that end the answer when the model writes them.',
    thinking: 'Whether the model thinks before it answers, and with how many tokens. They are output.',
    output_config: 'The effort of the model, and the schema of its answer.',
    output_format: 'The schema of the answer.',
    cache_control: 'Caches the prompt up to its last part.',
    service_tier: 'Which capacity of the provider answers. It can change the price.',
    speed: 'Only `standard` has a price.',
    max_completion_tokens: 'Refused: use `max_tokens`.',
    max_output_tokens: 'Refused: use `max_tokens`.',
    n: 'Refused unless it is 1.',
    best_of: 'Refused unless it is 1.'
  },
  ResponseRequest: {
    input: 'A text, or the items of the conversation.',
    instructions: 'What the model should know and do.',
    store: 'Whether the provider stores the response. It does unless this is `false`.',
    previous_response_id: 'A stored response of the same key, whose conversation goes on.',
    max_tool_calls: 'The most calls of tools that the provider runs.',
    text: 'The format of the text: plain, or JSON of a schema.',
    reasoning: 'How much the model reasons, and what you see of it.',
    include: 'Further parts of the answer.',
    prompt_cache_options: 'How long the provider keeps the prompt in its cache.',
    prompt: 'Refused: the length of a stored prompt is not known.',
    max_tokens: 'Refused: use `max_output_tokens`.',
    max_completion_tokens: 'Refused: use `max_output_tokens`.',
    n: 'Refused unless it is 1.',
    best_of: 'Refused unless it is 1.'
  },
  ModerationRequest: { input: 'Texts, or texts and pictures.' },
  CompactRequest: { input: 'The items of the conversation.', instructions: 'What the model should know and do.' }
}

/** Members of parts of a request, at any depth. */
const ofParts: Texts = {
  role: 'Who says it, such as `system`, `user`, `assistant` or `tool`.',
  content: 'A text, or several parts: texts, images and audio.',
  tool_calls: 'The calls of tools in an earlier answer of the model.',
  tool_call_id: 'The call that a message with the role `tool` answers.',
  image_url: 'An image: its address, or the image itself as `data:image/png;base64,…`.',
  input_audio: 'Audio in base64.',
  parameters: 'The arguments as JSON Schema.',
  strict: 'Whether the arguments must follow the schema exactly.',
  include_usage: 'Whether the last chunk has the tokens and, with `usage`, the cost.'
}

/** Describes the members of a request that do not describe themselves. Other schemas stay as they are. */
export function describeMembers(name: string, schema: object): object {
  if (!name.endsWith('Request')) return { ...schema }
  const texts = { ...ofRequests, ...ofSchemas[name === 'TokenCountRequest' ? 'MessageRequest' : name] }
  return withTexts(schema as JsonSchema, texts)
}

function withTexts(schema: JsonSchema, texts: Texts): JsonSchema {
  const described = { ...schema }
  if (schema.properties !== undefined) {
    described.properties = Object.fromEntries(
      Object.entries(asSchema(schema.properties)).map(([name, member]) => {
        const inner = withTexts(asSchema(member), ofParts)
        const text = inner.description ?? texts[name]
        return [name, text === undefined ? inner : { ...inner, description: text }]
      })
    )
  }
  for (const kind of ['anyOf', 'oneOf'] as const) {
    const alternatives = schema[kind]
    if (Array.isArray(alternatives)) described[kind] = alternatives.map((one) => withTexts(asSchema(one), texts))
  }
  if (schema.items !== undefined) described.items = withTexts(asSchema(schema.items), texts)
  return described
}
