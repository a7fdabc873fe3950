/** The tokens of what one search finds. */
const tokensPerSearch = 60

/**
 * The input tokens that searches add. After each of them, the model reads the prompt again, with all that was found.
 *
 * @param promptTokens of the first pass
 */
export const foundTokens = (promptTokens: number, searches: number): number =>
  searches * promptTokens + (tokensPerSearch * searches * (searches + 1)) / 2
