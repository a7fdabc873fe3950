import * as previousAiSdk from '@tollgate/previous-clients/ai-sdk.ts'
import * as previousAnthropic from '@tollgate/previous-clients/anthropic.ts'
import * as previousLangChain from '@tollgate/previous-clients/langchain.ts'
import * as previousOpenai from '@tollgate/previous-clients/openai.ts'
import * as previousAgents from '@tollgate/previous-clients/openai-agents.ts'
import * as aiSdk from './newest/ai-sdk.ts'
import * as anthropic from './newest/anthropic.ts'
import * as langChain from './newest/langchain.ts'
import * as openai from './newest/openai.ts'
import * as agents from './newest/openai-agents.ts'

export type OpenaiKit = typeof openai
export type AnthropicKit = typeof anthropic
export type AiSdkKit = typeof aiSdk
export type LangChainKit = typeof langChain
export type AgentsKit = typeof agents

/**
 * Both versions of a client. Their types differ in parts that the tests do not use, so the newest types stand for both.
 */
interface Versions<Kit> {
  newest: Kit
  previous: Kit
}
const both = <Kit>(newest: Kit, previous: unknown): Versions<Kit> => ({ newest, previous: previous as Kit })

/** What the tests need of each client, in its newest and its previous major version. */
export const kits = {
  openai: both(openai, previousOpenai),
  anthropic: both(anthropic, previousAnthropic),
  aiSdk: both(aiSdk, previousAiSdk),
  langChain: both(langChain, previousLangChain),
  agents: both(agents, previousAgents)
}
