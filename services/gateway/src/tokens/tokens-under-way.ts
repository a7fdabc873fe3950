/**
 * Tokens that a model may have produced, for each answer that was cut off, and that had not left the provider. A tenth of a
 * second of a model that produces 320 tokens a second.
 */
export const tokensUnderWay = 32
