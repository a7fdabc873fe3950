import type { Api } from '@tollgate/contracts/catalog/apis.ts'
import { anthropicMembers, olderAnthropicMembers } from './anthropic-members.ts'
import { openaiMembers } from './openai-members.ts'

/** The top-level request members that the reference of each API documents. */
export const documentedMembers: Readonly<Record<Api, ReadonlySet<string>>> = {
  chat: new Set(openaiMembers.chat),
  completions: new Set(openaiMembers.completions),
  embeddings: new Set(openaiMembers.embeddings),
  responses: new Set(openaiMembers.responses),
  messages: new Set([...anthropicMembers, ...olderAnthropicMembers])
}
