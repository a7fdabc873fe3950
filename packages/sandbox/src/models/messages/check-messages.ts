import { invalidRequest } from '../api-error.ts'
import type { Seal } from '../seal.ts'
import type { Block } from './blocks.ts'

export interface ReadMessage {
  readonly role: 'user' | 'assistant' | 'system'
  readonly blocks: readonly Block[]
}

/** The kind of thinking for the seal. */
export const thinkingKind = 'thinking'

/** Checks that tool results follow their calls, and that thinking is what this server has signed. @throws ApiError (400) */
export function checkMessages(messages: readonly ReadMessage[], seal: Seal): void {
  let open: string[] = []
  for (const [at, { blocks }] of messages.entries()) {
    const answered = new Set(blocks.flatMap((block) => (block.type === 'tool_result' ? block.tool_use_id : [])))
    const missing = open.find((id) => !answered.has(id))
    if (missing !== undefined) {
      const message = `messages.${at - 1}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${missing}. Each \`tool_use\` block must have a corresponding \`tool_result\` block in the next message.`
      throw invalidRequest(message, 'messages')
    }
    for (const [index, block] of blocks.entries()) checkBlock(block, `messages.${at}.content.${index}`, open, seal)
    open = blocks.flatMap((block) => (block.type === 'tool_use' ? block.id : []))
  }
}

function checkBlock(block: Block, path: string, open: readonly string[], seal: Seal): void {
  if (block.type === 'tool_result' && !open.includes(block.tool_use_id)) {
    const message = `${path}: unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${block.tool_use_id}. Each \`tool_result\` block must have a corresponding \`tool_use\` block in the previous message.`
    throw invalidRequest(message, path)
  }
  if (block.type === 'thinking') {
    const signed = seal.open(thinkingKind, block.signature)
    // Hidden thinking comes back empty.
    if (signed === null || (block.thinking !== '' && signed !== block.thinking)) {
      throw invalidRequest(`${path}: Invalid \`signature\` in \`thinking\` block`, path)
    }
  }
  if (block.type === 'redacted_thinking') {
    throw invalidRequest(`${path}: Invalid \`data\` in \`redacted_thinking\` block`, path)
  }
}
