import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { openaiMembers } from './openai-members.ts'

/** The members of an interface in the SDK's type declarations. */
function membersOf(file: string, name: string): string[] {
  const declarations = readFileSync(fileURLToPath(import.meta.resolve('openai')).replace(/index\.m?js$/, file), 'utf8')
  const body = new RegExp(`^export interface ${name} \\{$(.*?)^\\}$`, 'ms').exec(declarations)![1]!
  return [...body.matchAll(/^ {4}(\w+)\??:/gm)].map(([, member]) => member!)
}

t.test('the lists have exactly the members of the official SDK, and what Codex sends', async () => {
  for (const [api, file, name] of [
    ['chat', 'resources/chat/completions/completions.d.ts', 'ChatCompletionCreateParamsBase'],
    ['completions', 'resources/completions.d.ts', 'CompletionCreateParamsBase'],
    ['embeddings', 'resources/embeddings.d.ts', 'EmbeddingCreateParams'],
    ['responses', 'resources/responses/responses.d.ts', 'ResponseCreateParamsBase']
  ] as const) {
    const sentByCodex = api === 'responses' ? ['client_metadata'] : []
    assert.deepEqual(openaiMembers[api], [...membersOf(file, name), ...sentByCodex].sort(), api)
  }
})
