import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { chatMembers } from './chat/chat-members.ts'
import { completions } from './completions/completions.ts'
import { embeddings } from './embeddings/embeddings.ts'
import { latestMembers } from './messages/messages-members.ts'
import { moderations } from './moderations/moderations.ts'
import { responsesMembers } from './responses/responses-members.ts'

/** The text of an interface in an SDK's type declarations. */
function declarationOf(sdk: string, file: string, name: string): string {
  const declarations = readFileSync(
    fileURLToPath(import.meta.resolve(sdk)).replace(/index\.m?js$/, `resources/${file}`),
    'utf8'
  )
  return new RegExp(`^export interface ${name} \\{$(.*?)^\\}$`, 'ms').exec(declarations)![1]!
}

const openaiMembers = (file: string, name: string): string[] =>
  [...declarationOf('openai', file, name).matchAll(/^ {4}(\w+)\??:/gm)].map(([, member]) => member!)

/** The members of a request's body. Members for headers are described as such. */
const anthropicMembers = (file: string): string[] =>
  [
    ...declarationOf('@anthropic-ai/sdk', file, 'MessageCreateParamsBase').matchAll(
      /\/\*\*((?:(?!\*\/).)*)\*\/\s+(\w+)\??:/gs
    )
  ]
    .filter(([, description]) => !description!.includes('Header param:'))
    .map(([, , member]) => member!)

t.test('each API has exactly the members of the official SDK, and what Codex sends', async () => {
  for (const [members, file, name] of [
    [chatMembers, 'chat/completions/completions.d.ts', 'ChatCompletionCreateParamsBase'],
    [completions.members, 'completions.d.ts', 'CompletionCreateParamsBase'],
    [embeddings.members, 'embeddings.d.ts', 'EmbeddingCreateParams'],
    [moderations.members, 'moderations.d.ts', 'ModerationCreateParams'],
    [responsesMembers, 'responses/responses.d.ts', 'ResponseCreateParamsBase']
  ] as const) {
    const sentByCodex = members === responsesMembers ? ['client_metadata'] : []
    assert.deepEqual([...members], [...openaiMembers(file, name), ...sentByCodex].sort(), name)
  }
  const messages = new Set([
    ...anthropicMembers('messages/messages.d.ts'),
    ...anthropicMembers('beta/messages/messages.d.ts')
  ])
  assert.deepEqual(latestMembers, [...messages].sort())
})
