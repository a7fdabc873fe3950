import type { APIError } from 'openai'
import type { OpenaiKit } from './kits.ts'

/** @returns the error that the SDK throws; null if it throws none */
export async function failureOf(OpenAI: OpenaiKit['OpenAI'], call: Promise<unknown>): Promise<APIError | null> {
  try {
    await call
    return null
  } catch (error) {
    if (error instanceof OpenAI.APIError) return error
    throw error
  }
}
