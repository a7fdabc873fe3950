import assert from 'node:assert/strict'
import { z } from 'zod'
import { aiSdk, aiSdkAnthropic, aiSdkOpenai } from './ai-sdk.ts'
import { anthropicMessages, claudeCode, codex } from './anthropic-messages.ts'
import type { ClientAccess, Journeys } from './client-access.ts'
import { type AgentsKit, kits } from './kits.ts'
import { langChain, langChainAnthropic, langChainResponses } from './langchain.ts'
import { openaiChat } from './openai-chat.ts'
import { openaiErrors } from './openai-errors.ts'
import { openaiOthers, openaiResponses } from './openai-others.ts'

export type Endpoint = 'chat/completions' | 'responses' | 'messages' | 'embeddings, completions, models'
export type Version = 'newest' | 'previous'

/** The tests of a client in one version. */
export interface Client {
  endpoint: Endpoint
  /** Its npm packages, the one with the API first. */
  packages: string[]
  /** A number of a recording, whose package the tests do not install. */
  version: Version | `${number}.${string}`
  /** Names its models: `openai-previous`. */
  id: string
  /** What a user should know. */
  note?: string
  run(t: Journeys, access: ClientAccess): void
}

function inBothVersions<Kit>(
  client: Omit<Client, 'version' | 'run'>,
  kit: Record<Version, Kit>,
  ...tests: ((t: Journeys, kit: Kit, access: ClientAccess) => void)[]
): Client[] {
  return (['newest', 'previous'] as const).map((version) => ({
    ...client,
    version,
    id: `${client.id}-${version}`,
    run(t, access) {
      for (const test of tests) test(t, kit[version], access)
    }
  }))
}

/** Every client that the tests run, in its newest and its previous major version. */
export const clients: Client[] = [
  ...inBothVersions(
    { endpoint: 'chat/completions', packages: ['openai'], id: 'openai-chat' },
    kits.openai,
    openaiChat,
    openaiErrors
  ),
  ...inBothVersions(
    { endpoint: 'chat/completions', packages: ['@ai-sdk/openai-compatible', 'ai'], id: 'ai-compatible' },
    kits.aiSdk,
    aiSdk
  ),
  ...inBothVersions(
    { endpoint: 'chat/completions', packages: ['@langchain/openai'], id: 'langchain-chat' },
    kits.langChain,
    langChain
  ),
  ...inBothVersions(
    { endpoint: 'responses', packages: ['openai'], id: 'openai-responses' },
    kits.openai,
    openaiResponses
  ),
  ...inBothVersions(
    { endpoint: 'responses', packages: ['@ai-sdk/openai', 'ai'], id: 'ai-openai' },
    kits.aiSdk,
    aiSdkOpenai
  ),
  ...inBothVersions(
    {
      endpoint: 'responses',
      packages: ['@openai/agents'],
      id: 'agents',
      note: 'tracing disabled: it reports to OpenAI'
    },
    kits.agents,
    openaiAgents
  ),
  ...inBothVersions(
    { endpoint: 'responses', packages: ['@langchain/openai'], id: 'langchain-openai', note: '`useResponsesApi: true`' },
    kits.langChain,
    langChainResponses
  ),
  ...inBothVersions(
    { endpoint: 'messages', packages: ['@anthropic-ai/sdk'], id: 'anthropic' },
    kits.anthropic,
    anthropicMessages
  ),
  ...inBothVersions(
    {
      endpoint: 'messages',
      packages: ['@ai-sdk/anthropic', 'ai'],
      id: 'ai-anthropic',
      note: 'its base URL includes `/v1`'
    },
    kits.aiSdk,
    aiSdkAnthropic
  ),
  ...inBothVersions(
    {
      endpoint: 'messages',
      packages: ['@langchain/anthropic'],
      id: 'langchain-anthropic',
      note:
        'of a stream it reports too many output tokens: it adds the preliminary count. ' +
        '0.3 sends `top_p: -1`, which some models of Anthropic refuse'
    },
    kits.langChain,
    langChainAnthropic
  ),
  ...inBothVersions(
    { endpoint: 'embeddings, completions, models', packages: ['openai'], id: 'openai-others' },
    kits.openai,
    openaiOthers
  ),
  {
    endpoint: 'responses',
    packages: ['@openai/codex'],
    version: '0.169.0',
    id: 'codex',
    note: 'a recorded request',
    run: codex
  },
  {
    endpoint: 'messages',
    packages: ['@anthropic-ai/claude-code'],
    version: '2.1.332',
    id: 'claude-code',
    note: 'a recorded request',
    run: claudeCode
  }
]

/** Tests OpenAI's Agents SDK, which uses the Responses API. */
function openaiAgents(t: Journeys, kit: AgentsKit, { baseURL, apiKey, model }: ClientAccess): void {
  const { Agent, OpenAIProvider, Runner, tool } = kit
  const modelProvider = new OpenAIProvider({ baseURL, apiKey, useResponses: true })
  const runner = new Runner({ modelProvider, tracingDisabled: true })
  const weather = tool({
    name: 'weather',
    description: 'The weather of a city',
    parameters: z.object({ city: z.enum(['Oslo']) }),
    execute: async ({ city }) => `snow in ${city}`
  })
  const agent = new Agent({ name: 'Guide', instructions: 'Be brief.', model, tools: [weather] })
  const question = 'What does weather say of Oslo?'

  t.test(['answer', 'tools'], 'a run calls the tool, and its answer uses the result', async () => {
    const { finalOutput } = await runner.run(agent, question)
    assert.match(finalOutput!, /^The tool answered "snow in Oslo"\. /)
  })

  t.test(['stream'], 'a streamed run does the same', async () => {
    const result = await runner.run(agent, question, { stream: true })
    const pieces = await Array.fromAsync(result.toTextStream())
    await result.completed
    assert.match(result.finalOutput!, /^The tool answered "snow in Oslo"\. /)
    assert.equal(pieces.join(''), result.finalOutput)
  })
}
