export { ChatAnthropic } from '@langchain/anthropic'
export { HumanMessage, ToolMessage } from '@langchain/core/messages'
export { tool } from '@langchain/core/tools'
export { ChatOpenAI, OpenAIEmbeddings } from '@langchain/openai'
