import type { Model } from '@tollgate/contracts/catalog/catalog.ts'

/** The most tokens that a request can use, apart from how many of output it is granted. */
export type TokenBound = {
  promptTokens: number
  /** How many answers there are, each with as much output as is granted. */
  answers: number
  /** Tokens of output that are wanted for each. */
  wantedTokens: number
  /** Whether the client set no limit, so that `wantedTokens` is the model's default. */
  isDefault?: boolean
  /** Whether answers are produced that are not shown. */
  hidesAnswers?: boolean
}

/** The output that a request wants: what its client says, or else what the catalog does; and no more than the model has. */
export function wantedOutput(limit: number | null | undefined, model: Model): number {
  return Math.min(limit ?? model.defaultOutputTokens, model.maxOutputTokens)
}
