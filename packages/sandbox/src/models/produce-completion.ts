import { invalidRequest } from './api-error.ts'
import type { Behaviour } from './model-name.ts'
import { type Produced, produceFlood, produceText } from './produce.ts'
import { type Input, readInputs } from './read-inputs.ts'
import type { CompletionRequest } from './requests.ts'
import { writeText } from './write-text.ts'

export interface ProducedCompletion {
  readonly promptTokens: number
  /** Sorted by index: `n` for the first prompt, `n` for the second, … */
  readonly choices: ReadonlyArray<Produced & { readonly prompt: string }>
  /** The further choices of `best_of`: counted, but not sent. */
  readonly discarded: readonly Produced[]
}

const defaultMaxTokens = 16

/**
 * Produces the answer to a legacy completion: for each prompt, `n` texts of at most `max_tokens` tokens (default 16, as
 * documented). Equal requests get equal answers.
 */
export function produceCompletion(request: CompletionRequest, behaviour: Behaviour): ProducedCompletion {
  const { n, best_of: bestOf, max_tokens: limit, stop } = request
  const shown = n ?? 1
  const produced = bestOf ?? shown
  if (produced < shown) throw invalidRequest("'best_of' must be at least 'n'.", 'best_of')
  if (produced > shown && request.stream === true) throw invalidRequest("'best_of' cannot be streamed.", 'best_of')
  const prompts = readPrompts(request.prompt)
  const produce = (text: string, index: number) =>
    behaviour['flood-mb'] === undefined
      ? produceText(` ${writeText(text, index, null)}`, stop, limit ?? defaultMaxTokens)
      : produceFlood(behaviour['flood-mb'])
  const texts = prompts.map(({ text }) =>
    Array.from({ length: produced }, (_, index) => ({ ...produce(text, index), prompt: text }))
  )
  return {
    promptTokens: prompts.reduce((sum, { tokens }) => sum + tokens, 0),
    choices: texts.flatMap((ofPrompt) => ofPrompt.slice(0, shown)),
    discarded: texts.flatMap((ofPrompt) => ofPrompt.slice(shown))
  }
}

function readPrompts(prompt: CompletionRequest['prompt']): Input[] {
  // Without a prompt the model starts a document, which counts as one special token.
  return prompt === null || prompt === undefined ? [{ text: '', tokens: 1 }] : readInputs(prompt, 'prompt')
}
