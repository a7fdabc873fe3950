export { createAnthropic } from '@ai-sdk/anthropic'
export { createOpenAI } from '@ai-sdk/openai'
export { createOpenAICompatible } from '@ai-sdk/openai-compatible'
export { APICallError, embed, embedMany, generateText, isStepCount, Output, streamText, tool } from 'ai'

/** Members of a request: other versions name it otherwise. */
export const instruct = (instructions: string) => ({ instructions })
/** The messages of all steps. */
export const responseMessagesOf = <Messages>({ responseMessages }: { responseMessages: Messages }) => responseMessages
