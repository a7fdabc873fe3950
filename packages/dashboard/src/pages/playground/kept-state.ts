import { type ChatState, nothing } from './chat.ts'

/** Changes with the shape of the state, so that a newer dashboard does not read what an older one wrote. */
const version = 1

interface Kept {
  readonly version: number
  readonly whose: string
  readonly state: ChatState
}

/** @param whose the user and the account of the conversation */
export const writeState = (whose: string, state: ChatState): string =>
  JSON.stringify({ version, whose, state } satisfies Kept)

/**
 * The conversation that a text of {@link writeState} has; an empty one for the text of anyone else. An answer that was
 * under way has been stopped by the reload.
 */
export function readState(whose: string, text: string | null): ChatState {
  const entry = parse(text)
  if (entry?.version !== version || entry.whose !== whose) return nothing
  const turns = entry.state.turns.map((turn) => ({
    ...turn,
    replies: turn.replies.map((reply) =>
      reply.state === 'streaming' ? { ...reply, state: 'stopped' as const } : reply
    )
  }))
  return { ...entry.state, turns }
}

function parse(text: string | null): Kept | null {
  try {
    return text === null ? null : (JSON.parse(text) as Kept)
  } catch {
    return null
  }
}
