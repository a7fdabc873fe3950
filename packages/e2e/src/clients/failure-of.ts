import OpenAI, { type APIError } from 'openai'

/** What the SDK throws; null if it throws nothing. */
export async function failureOf(call: Promise<unknown>): Promise<APIError | null> {
  try {
    await call
    return null
  } catch (error) {
    if (error instanceof OpenAI.APIError) return error
    throw error
  }
}
