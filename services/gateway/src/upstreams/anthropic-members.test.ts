import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { anthropicMembers } from './anthropic-members.ts'

/** The members of a request's body in the SDK's type declarations. Members for headers are described as such. */
function membersOf(file: string): string[] {
  const index = fileURLToPath(import.meta.resolve('@anthropic-ai/sdk'))
  const declarations = readFileSync(index.replace(/index\.m?js$/, `resources/${file}`), 'utf8')
  const body = /^export interface MessageCreateParamsBase \{$(.*?)^\}$/ms.exec(declarations)![1]!
  return [...body.matchAll(/\/\*\*((?:(?!\*\/).)*)\*\/\s+(\w+)\??:/gs)]
    .filter(([, description]) => !description!.includes('Header param:'))
    .map(([, , member]) => member!)
}

t.test('the list has exactly the members of the official SDK', async () => {
  const members = new Set([...membersOf('messages/messages.d.ts'), ...membersOf('beta/messages/messages.d.ts')])
  assert.deepEqual(anthropicMembers, [...members].sort())
})
