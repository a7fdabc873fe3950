import type { ChatCompletion, ChatCompletionTokenLogprob } from 'openai/resources/chat/completions'
import type { CompletionChoice } from 'openai/resources/completions'
import type { Piece } from './tokens.ts'

// The model always gives the same answer, so its probability is 1.
const logprob = 0
const unlikely = -9999

/** Log probabilities in the chat endpoint's format, with `alternatives` for each token. */
export function chatLogprobs(pieces: readonly Piece[], alternatives: number): ChatCompletion.Choice.Logprobs {
  const content = pieces.map(({ text }): ChatCompletionTokenLogprob => {
    const others = Array.from({ length: alternatives }, (_, rank) => ({
      ...describe(rank === 0 ? text : ` other${rank}`),
      logprob: rank === 0 ? logprob : unlikely
    }))
    return { ...describe(text), logprob, top_logprobs: others }
  })
  return { content, refusal: null }
}

/** Log probabilities in the legacy endpoint's format. `offset` is the first piece's position in the whole text. */
export function completionLogprobs(pieces: readonly Piece[], offset: number): CompletionChoice.Logprobs {
  let at = offset
  const offsets = pieces.map(({ text }) => {
    at += text.length
    return at - text.length
  })
  return {
    tokens: pieces.map(({ text }) => text),
    token_logprobs: pieces.map(() => logprob),
    top_logprobs: pieces.map(({ text }) => ({ [text]: logprob })),
    text_offset: offsets
  }
}

function describe(token: string): { token: string; bytes: number[] } {
  return { token, bytes: [...Buffer.from(token)] }
}
