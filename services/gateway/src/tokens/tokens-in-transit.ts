/**
 * Tokens that the model may have produced before its answer was cut off, and that the provider had not sent: a tenth of a second
 * at 320 tokens a second.
 */
export const tokensInTransit = 32
