/** Before anything is measured: JSON of English prose and code has more. It weighs as much as this many tokens. */
const usualBytesPerToken = 3
const usualWeight = 2000
/** After so many tokens the earlier ones weigh half, so that the measure follows its users. */
const memoryTokens = 1_000_000
/**
 * Its bounds. All accounts share the measure of a model, so what one of them sends must not make the prompts of others
 * much shorter or longer: text of other kinds is corrected by its own settlement.
 */
const [least, most] = [2.5, 4]

interface Sums {
  bytes: number
  tokens: number
}

/**
 * Measures how many bytes of a request make a token of a model's prompt, by what providers report. It estimates prompts
 * for the rate of tokens only: money is reserved for a token for each byte. No text has more tokens than bytes.
 */
export class PromptSizes {
  readonly #measured = new Map<string, Sums>()

  /** @param model of the catalog */
  bytesPerToken(model: string): number {
    const sums = this.#measured.get(model)
    return sums === undefined ? usualBytesPerToken : Math.min(most, Math.max(least, sums.bytes / sums.tokens))
  }

  /**
   * @param bytes of the request, without media
   * @param tokens the reported tokens of its prompt, with those of the model's template
   */
  reported(model: string, bytes: number, tokens: number): void {
    let sums = this.#measured.get(model)
    if (sums === undefined) {
      sums = { bytes: usualWeight * usualBytesPerToken, tokens: usualWeight }
      this.#measured.set(model, sums)
    }
    // A template may have more tokens than a short request has bytes.
    sums.bytes += Math.max(bytes, tokens)
    sums.tokens += tokens
    if (sums.tokens <= memoryTokens) return
    sums.bytes /= 2
    sums.tokens /= 2
  }
}
