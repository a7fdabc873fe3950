/** What a call sends besides its messages. Null: the model's default. */
export interface Parameters {
  readonly temperature: number | null
  readonly maxTokens: number | null
}

/** What is typed into the fields. */
export interface TypedParameters {
  readonly temperature: string
  readonly maxTokens: string
}

export const noParameters: TypedParameters = { temperature: '', maxTokens: '' }

/** Reads the fields. @returns the parameters, and what is wrong with each field */
export function readParameters({ temperature, maxTokens }: TypedParameters): Parameters & {
  readonly problems: Partial<Record<keyof TypedParameters, string>>
} {
  const heat = readNumber(temperature)
  const tokens = readNumber(maxTokens)
  const isHeat = heat === null || (heat >= 0 && heat <= 2)
  const isTokens = tokens === null || (Number.isInteger(tokens) && tokens >= 1 && tokens <= 1_000_000)
  return {
    temperature: isHeat ? heat : null,
    maxTokens: isTokens ? tokens : null,
    problems: {
      ...(!isHeat && { temperature: 'Enter a number from 0 to 2, or nothing.' }),
      ...(!isTokens && { maxTokens: 'Enter a whole number from 1 to 1,000,000, or nothing.' })
    }
  }
}

/** Null without a text; NaN for a text that is no number. */
function readNumber(text: string): number | null {
  const trimmed = text.trim().replace(',', '.')
  return trimmed === '' ? null : Number(trimmed)
}

/** The members of the request's body. */
export const toMembers = ({ temperature, maxTokens }: Parameters) => ({
  ...(temperature !== null && { temperature }),
  ...(maxTokens !== null && { max_tokens: maxTokens })
})
