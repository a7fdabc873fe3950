import OpenAI from 'openai'

/** Creates the official SDK without retries, so that a test sees each answer. */
export function openaiClient(gateway: string, apiKey: string): OpenAI {
  return new OpenAI({ baseURL: `${gateway}/v1`, apiKey, maxRetries: 0 })
}

/** Sends a minimal chat. @returns `200`, or status and code of the refusal */
export async function chatOutcome(client: OpenAI, model = 'gpt-4o-mini'): Promise<string> {
  try {
    await client.chat.completions.create({ model, max_tokens: 1, messages: [{ role: 'user', content: 'Hi' }] })
    return '200'
  } catch (error) {
    if (error instanceof OpenAI.APIError && error.status !== undefined) return `${error.status} ${error.code}`
    throw error
  }
}
