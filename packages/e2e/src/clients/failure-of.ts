import OpenAI, { type APIError } from 'openai'

/** @returns the error that the SDK throws; null if it throws none */
export async function failureOf(call: Promise<unknown>): Promise<APIError | null> {
  try {
    await call
    return null
  } catch (error) {
    if (error instanceof OpenAI.APIError) return error
    throw error
  }
}
