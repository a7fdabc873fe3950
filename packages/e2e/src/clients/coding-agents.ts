import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import type { ClientAccess } from './client-access.ts'
import type { Journeys } from './journeys.ts'

/** The first request of an agent, as it was recorded, with shorter texts. Its last user message asks for a tool by its name. */
interface Recording {
  path: string
  headers: Record<string, string>
  body: { model: string }
}

/** What Claude Code 2.1.197 sent. The recording is of a newer version. */
const earlierBetas =
  'claude-code-20250219,interleaved-thinking-2025-05-14,thinking-token-count-2026-05-13,context-management-2025-06-27,' +
  'prompt-caching-scope-2026-01-05,mid-conversation-system-2026-04-07,effort-2025-11-24'

/** Tests that the recorded request of Codex gets a tool call. */
export function codex(t: Journeys, { origin, apiKey, model }: ClientAccess): void {
  t.test(['stream', 'tools'], 'its recorded request gets a tool call', async () => {
    const answer = await send('codex', { origin, apiKey, model })
    assert.match(answer, /"type":"function_call"[^\n]*"name":"get_goal"/)
    assert.match(answer, /\nevent: response\.completed\n/)
  })
}

/** Tests that the recorded request of Claude Code gets a tool call. */
export function claudeCode(t: Journeys, { origin, apiKey, model }: ClientAccess): void {
  for (const [version, betas] of [
    ['2.1.332', {}],
    ['2.1.197', { 'anthropic-beta': earlierBetas }]
  ] as const) {
    t.test(['stream', 'tools'], `its recorded request gets a tool call, with the betas of ${version}`, async () => {
      const answer = await send('claude-code', { origin, apiKey, model }, betas)
      assert.match(answer, /"type":"tool_use"[^\n]*"name":"Read"/)
      assert.match(answer, /\nevent: message_stop\n/)
    })
  }
}

async function send(
  name: string,
  { origin, apiKey, model }: Pick<ClientAccess, 'origin' | 'apiKey' | 'model'>,
  headers: Record<string, string> = {}
): Promise<string> {
  const file = new URL(`recordings/${name}.json`, import.meta.url)
  const recorded = JSON.parse(readFileSync(file, 'utf8')) as Recording
  const response = await fetch(`${origin}${recorded.path}`, {
    method: 'POST',
    headers: { ...recorded.headers, ...headers, authorization: `Bearer ${apiKey}` },
    body: JSON.stringify({ ...recorded.body, model })
  })
  const answer = await response.text()
  assert.equal(response.status, 200, answer)
  return answer
}
