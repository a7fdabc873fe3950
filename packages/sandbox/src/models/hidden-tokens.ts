import type { Behaviour } from './model-name.ts'

/** Completion tokens that are no text of the answer. */
export interface HiddenTokens {
  readonly reasoning: number
  readonly audio: number
  readonly image: number
  readonly total: number
}

/** The hidden tokens that the directives ask for, in this order within the request's limit. */
export function hiddenTokens(behaviour: Behaviour, limit: number): HiddenTokens {
  const reasoning = Math.min(behaviour['reasoning-tokens'] ?? 0, limit)
  const audio = Math.min(behaviour['audio-output-tokens'] ?? 0, limit - reasoning)
  const image = Math.min(behaviour['image-output-tokens'] ?? 0, limit - reasoning - audio)
  return { reasoning, audio, image, total: reasoning + audio + image }
}

/** The hidden tokens of several choices. */
export function timesHidden({ reasoning, audio, image, total }: HiddenTokens, choices: number): HiddenTokens {
  return { reasoning: reasoning * choices, audio: audio * choices, image: image * choices, total: total * choices }
}
