/**
 * Tokens per cut answer that the model may have produced, and that had not left the provider: a tenth of a second at 320 tokens
 * a second.
 */
export const tokensInTransit = 32
