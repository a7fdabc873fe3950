import { countTokens } from '@tollgate/tokenizer/tokenize.ts'
import { invalidRequest } from './api-error.ts'
import { minimalValue } from './minimal-value.ts'
import type { Behaviour } from './model-name.ts'
import { type Produced, type ProducedCall, produceCalls, produceFlood, produceText } from './produce.ts'
import { type ChatRequest, type Tool, textOf } from './requests.ts'
import { randomId, splitIntoPieces, writeText } from './write-text.ts'

// A longer text is a document that mentions such words, rather than a question about them.
const maxQuestionLength = 300

const code = `Here is a function that says whether a number is prime:

\`\`\`python
def is_prime(number: int) -> bool:
    """Say whether a number is prime."""
    if number < 2:
        return False
    divisor = 2
    while divisor * divisor <= number:
        if number % divisor == 0:
            return False
        divisor += 1
    return True


print([n for n in range(20) if is_prime(n)])
\`\`\`

It tries each divisor up to the **square root** of the number, so \`is_prime(97)\` needs eight divisions.

*This is a sample answer: the embedded model server is no real model.*`

const table = `Three ways to cache an API's answers:

| Where | Best for | Speed | Drawback |
| --- | --- | --- | --- |
| In the process | Small, hot data | Under 1 ms | Each process has its own copy |
| In Redis | Answers that servers share | About 1 ms | One more service to run |
| At a CDN | Public answers | Near the reader | Hard to clear at once |

Start with the **simplest** that fits:

1. Set \`cache-control\` headers.
2. Add Redis when several servers repeat the same work.
3. Add a CDN when readers are far away.

*This is a sample answer: the embedded model server is no real model.*`

const samples: readonly Sample[] = [
  { questions: /\b(write|show|give)\b.*\b(function|code|script|program)\b/is, answer: code },
  { questions: /\bcompare\b|\bas a table\b/i, answer: table }
]

export interface ProducedChat {
  readonly choices: readonly Produced[]
  /** Hidden tokens of all choices. They come first and count against the limit. */
  readonly hidden: HiddenTokens
}

/**
 * Produces the answer to a chat: tool calls if requested, else JSON if the response format requests it, else a sample
 * answer for a question that asks for code or a table, else a text about the last message of a user or a tool. Equal
 * requests get equal answers.
 */
export function produceChat(request: ChatRequest, behaviour: Behaviour): ProducedChat {
  const { max_tokens: older, max_completion_tokens: newer, stop, n } = request
  if (typeof older === 'number' && typeof newer === 'number') {
    throw invalidRequest(
      "Setting 'max_tokens' and 'max_completion_tokens' at the same time is not supported.",
      'max_tokens'
    )
  }
  const limit = newer ?? older ?? Number.POSITIVE_INFINITY
  const hidden = hiddenTokens(behaviour, limit)
  const tools = chooseTools(request)
  const produce = (index: number) => {
    if (behaviour['flood-mb'] !== undefined) return produceFlood(behaviour['flood-mb'])
    if (tools.length > 0) return produceCalls(tools.map(callTool), limit - hidden.total)
    return produceText(writeAnswer(request, index), stop, limit - hidden.total)
  }
  const choices = Array.from({ length: n ?? 1 }, (_, index) => produce(index))
  return { choices, hidden: timesHidden(hidden, choices.length) }
}

function callTool(tool: Tool): ProducedCall {
  const name = toolName(tool)
  const text = tool.type === 'function' ? JSON.stringify(minimalValue(tool.function.parameters ?? {})) : 'sandbox'
  return { id: randomId('call_'), type: tool.type, name, nameTokens: countTokens(name), pieces: splitIntoPieces(text) }
}

function writeAnswer({ messages, response_format: format }: ChatRequest, index: number): string {
  if (format?.type === 'json_schema') return JSON.stringify(minimalValue(format.json_schema.schema ?? {}))
  const source = messages.findLast(({ role }) => role === 'user' || role === 'tool' || role === 'function')
  const prompt = source === undefined ? '' : textOf(source)
  if (format?.type === 'json_object') return JSON.stringify({ reply: writeText(prompt, index, null) })
  if (prompt === '') return writeText('', index, null)
  if (source?.role !== 'user') return writeText(prompt, index, 'The tool answered')
  return findSample(prompt) ?? writeText(prompt, index, 'You said')
}

/** Completion tokens that are no text of the answer. */
interface HiddenTokens {
  readonly reasoning: number
  readonly audio: number
  readonly image: number
  readonly total: number
}

/** The hidden tokens that the directives ask for, in this order within the request's limit. */
function hiddenTokens(behaviour: Behaviour, limit: number): HiddenTokens {
  const reasoning = Math.min(behaviour['reasoning-tokens'] ?? 0, limit)
  const audio = Math.min(behaviour['audio-output-tokens'] ?? 0, limit - reasoning)
  const image = Math.min(behaviour['image-output-tokens'] ?? 0, limit - reasoning - audio)
  return { reasoning, audio, image, total: reasoning + audio + image }
}

/** The hidden tokens of several choices. */
function timesHidden({ reasoning, audio, image, total }: HiddenTokens, choices: number): HiddenTokens {
  return { reasoning: reasoning * choices, audio: audio * choices, image: image * choices, total: total * choices }
}

function toolName(tool: Tool): string {
  return tool.type === 'function' ? tool.function.name : tool.custom.name
}

/**
 * Chooses the tools to call: those named in the last message besides instructions, if a user wrote it. `tool_choice:
 * required` calls at least the first tool; a named tool is always called. `parallel_tool_calls: false` allows one call.
 * A tool's result gets a text.
 */
function chooseTools(request: ChatRequest): readonly Tool[] {
  const { tool_choice: choice, messages, parallel_tool_calls: parallel } = request
  const tools = request.tools ?? []
  if (tools.length === 0 || choice === 'none') return []
  if (typeof choice === 'object' && choice !== null && !('allowed_tools' in choice)) {
    const name = choice.function?.name ?? choice.custom?.name
    return tools.filter((tool) => toolName(tool) === name).slice(0, 1)
  }
  const allowed = typeof choice === 'object' ? choice?.allowed_tools : undefined
  const names = allowed?.tools.map((tool) => tool.function?.name ?? tool.custom?.name)
  const open = tools.filter((tool) => names === undefined || names.includes(toolName(tool)))
  const last = messages.findLast(({ role }) => role !== 'system' && role !== 'developer')
  const text = last?.role === 'user' ? textOf(last) : ''
  const mentions = open.filter((tool) => text.includes(toolName(tool)))
  const isRequired = choice === 'required' || allowed?.mode === 'required'
  const called = mentions.length === 0 && isRequired ? open.slice(0, 1) : mentions
  return parallel === false ? called.slice(0, 1) : called
}

/** A Markdown answer, and the questions that get it. */
interface Sample {
  readonly questions: RegExp
  readonly answer: string
}

/** An answer with a code block or a table, for a question that asks for one; null for any other text. */
export function findSample(question: string): string | null {
  if (question.length > maxQuestionLength || /\bsay \d+ words?\b/i.test(question)) return null
  return samples.find(({ questions }) => questions.test(question))?.answer ?? null
}
