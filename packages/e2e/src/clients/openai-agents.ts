import assert from 'node:assert/strict'
import { z } from 'zod'
import type { ClientAccess } from './client-access.ts'
import type { Journeys } from './journeys.ts'
import type { AgentsKit } from './kits.ts'

/** Tests OpenAI's Agents SDK, which uses the Responses API. */
export function openaiAgents(t: Journeys, kit: AgentsKit, { baseURL, apiKey, model }: ClientAccess): void {
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
