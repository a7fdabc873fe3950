export { createAnthropic } from '@ai-sdk/anthropic'
export { createOpenAI } from '@ai-sdk/openai'
export { createOpenAICompatible } from '@ai-sdk/openai-compatible'
export { APICallError, embed, embedMany, generateText, Output, stepCountIs as isStepCount, streamText, tool } from 'ai'

export const instruct = (system: string) => ({ system })
export const responseMessagesOf = <Messages>({ response }: { response: { messages: Messages } }) => response.messages
